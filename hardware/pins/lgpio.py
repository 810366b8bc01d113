"""lgpio pins that release their line to the kernel on close; gpiozero's own keep it until the process ends."""

from typing import Any

import lgpio
from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

from hardware.errors import PinError


class FreedPin(LGPIOPin):  # type: ignore[misc]  # gpiozero ships no types
    """A pin that is free for other programs after `close`; reading it then fails, as lgpio would claim it again."""

    _is_free = False

    def close(self) -> None:
        """Switch the output off and release the pin's line to the kernel."""
        if not self._is_free and self.factory._handle is not None:
            super().close()
            lgpio.gpio_free(self.factory._handle, self._number)
            self._is_free = True

    def _set_function(self, value: str) -> None:
        super()._set_function(value)
        self._is_free = False

    def _get_state(self) -> Any:
        if self._is_free:
            raise PinError(f"{self!r} is not claimed: another program may use it")
        return super()._get_state()


def factory() -> Any:
    """Return a gpiozero factory of `FreedPin`. Raises lgpio.error if there is no GPIO chip."""
    made = LGPIOFactory()
    made.pin_class = FreedPin
    return made
