"""A control socket that answers each request of a command with a given value, as a daemon in one state."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


@contextmanager
def answering(config: Path, **answers: Any) -> Iterator[None]:
    """Answers as the daemon of a config, whose journal's directory is beside it: `status` with answers["status"]."""
    folder = config.parent / "j"
    folder.mkdir(exist_ok=True)
    with socket.create_server(str(folder / "control.sock"), family=socket.AF_UNIX) as server:
        thread = threading.Thread(target=_serve, args=(server, answers))
        thread.start()
        try:
            yield
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(server: socket.socket, answers: dict[str, Any]) -> None:
    with suppress(OSError):
        while True:
            client, _ = server.accept()
            with client, suppress(OSError), client.makefile("rb") as lines:
                request = json.loads(lines.readline() or b"{}")
                client.sendall(json.dumps(answers[request["do"]]).encode() + b"\n")
