"""A virtual Raspberry Pi: a power switch, pins to move and read, a USB plug, a network cable, a shell."""

import json
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.kit.patience import HANG_S, Patience

CONNECT_S = 30.0  # until qemu has made its sockets
READER = "reader"  # qemu's id of the USB adapter


class VirtualPi:
    """A machine whose disk is an overlay in `run` over `image`; `payload` is a second disk, `port` the broker's."""

    def __init__(self, image: Path, payload: Path, run: Path) -> None:
        self._image, self._payload, self._run = image, payload, run
        self._qemu: subprocess.Popen[bytes] | None = None
        self.reader: socket.socket | None = None
        disk = run / "disk.qcow2"
        command = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", str(image / "disk.raw"), str(disk)]
        subprocess.run(command, check=True)

    def on(self) -> float:
        """Switch the power on; the seconds until its agent answers."""
        began = time.monotonic()
        for old in self._run.glob("*.sock"):
            old.unlink()
        self._qemu = subprocess.Popen(self._command())
        self.reader = self._connected("reader")
        self.reader.setblocking(False)
        self._agent = self._connected("hil").makefile("rwb")
        self._qmp = self._connected("qmp").makefile("rwb")
        self._qmp.readline()
        self.qmp("qmp_capabilities")
        self.values([])  # waits in qemu until the agent listens
        return time.monotonic() - began

    def power_cut(self) -> None:
        """Pull the plug: nothing is written any more."""
        if self._qemu:
            self._qemu.send_signal(signal.SIGKILL)
            self._qemu.wait()
            self._qemu = None
        if self.reader:
            self.reader.close()
            self.reader = None

    def sh(self, command: str, check: bool = True) -> str:
        """What a command prints, run as root."""
        done = self._ask({"sh": command})
        assert not check or done["code"] == 0, f"{command}: {done['code']}: {done['out']}"
        return str(done["out"]).strip()

    def pull(self, *moves: int) -> None:
        """Line, level, line, level ..: what input lines see, one after the other."""
        self._ask({"pull": moves})

    def values(self, lines: list[int]) -> list[int]:
        """The levels of lines now, 0 or 1."""
        found: list[int] = self._ask({"values": lines})["values"]
        return found

    def unplug_reader(self) -> None:
        """Pull the reader's USB plug."""
        self.qmp("device_del", id=READER)

    def plug_reader(self) -> None:
        """Put it back."""
        self.qmp("device_add", driver="usb-serial", id=READER, chardev=READER, **{"always-plugged": True})

    def network(self, is_up: bool) -> None:
        """Plug or pull the network cable."""
        self.qmp("set_link", name="net0", up=is_up)

    def qmp(self, execute: str, **arguments: Any) -> None:
        """A command to qemu itself."""
        self._qmp.write(json.dumps({"execute": execute, "arguments": arguments}).encode() + b"\n")
        self._qmp.flush()
        while "return" not in (reply := json.loads(self._qmp.readline())):
            assert "error" not in reply, reply

    @property
    def console(self) -> str:
        """What the kernel and systemd printed."""
        return (self._run / "console.log").read_text(errors="replace")

    def _ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._agent.write(json.dumps(asked).encode() + b"\n")
        self._agent.flush()
        reply: dict[str, Any] = json.loads(self._agent.readline())
        assert "error" not in reply, reply
        return reply

    def _connected(self, name: str) -> socket.socket:
        patience = Patience(CONNECT_S)
        while True:
            link = socket.socket(socket.AF_UNIX)
            try:
                link.connect(str(self._run / f"{name}.sock"))
            except OSError:
                link.close()
                assert not patience.is_over, f"qemu made no {name}.sock; its console: {self._run}/console.log"
                time.sleep(0.05)
            else:
                link.settimeout(HANG_S)  # an installation under emulation takes minutes
                return link

    def _command(self) -> list[str]:
        run, image = self._run, self._image
        qemu = shutil.which("qemu-system-aarch64")
        assert qemu, "qemu-system-aarch64 is not installed"
        return [
            *(qemu, "-name", "shoe", "-M", "virt", "-cpu", "cortex-a72", "-accel", "tcg", "-smp", "2", "-m", "512"),
            *("-nodefaults", "-display", "none", "-no-reboot", "-dtb", f"{image}/shoe.dtb"),
            *("-kernel", f"{image}/vmlinuz", "-initrd", f"{image}/initrd"),
            *("-append", "console=ttyAMA0 quiet panic=-1 audit=0 root=/dev/vda rw"),
            *("-drive", f"file={run}/disk.qcow2,if=virtio,cache=writeback"),
            *("-drive", f"file={self._payload},if=virtio,format=raw,readonly=on"),
            *("-serial", f"file:{run}/console.log"),
            *("-chardev", f"socket,id={READER},path={run}/reader.sock,server=on,wait=off"),
            *("-device", "qemu-xhci", "-device", f"usb-serial,id={READER},chardev={READER},always-plugged=on"),
            *("-chardev", f"socket,id=hil,path={run}/hil.sock,server=on,wait=off"),
            *("-device", "virtio-serial-pci", "-device", "virtserialport,chardev=hil,name=hil"),
            *("-netdev", "user,id=net0", "-device", "virtio-net-pci,netdev=net0,romfile="),
            *("-device", "i6300esb", "-action", "watchdog=reset"),
            *("-qmp", f"unix:{run}/qmp.sock,server=on,wait=off"),
        ]
