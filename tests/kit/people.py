"""People with uids and groups of their own at a table's sockets; needs root."""

import gc
import json
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmware_bridge.facts.book.roles import GROUPS
from tests.kit.patience import PatientSocket

UID = {
    "root": 0,
    "pit": 42_001,
    "tech": 42_002,
    "audit": 42_003,
    "dealer": 42_004,
    "nobody": 42_005,
    "other pit": 42_006,
}
GID = {"pit": 43_001, "tech": 43_002, "audit": 43_003, "dealer": 43_004}


def rooms(folder: Path, gids: dict[str, int] | None = None) -> None:
    """Makes the folders of the roles, as the unit does: owner us, group the role's, set-group-ID."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o711)
    for role in GROUPS:
        (folder / role).mkdir(exist_ok=True)
        if gids:
            os.chown(folder / role, -1, gids[role])
        (folder / role).chmod(0o2750)


def asked(path: Path, request: dict[str, Any], uid: int, groups: list[int], count: int = 1) -> dict[str, Any]:
    """Answer number `count` to a request of another user in his own process; {"errno": ..} where the kernel refuses."""
    return all_asked(path, [request], uid, groups, count)[0]


def all_asked(
    path: Path, requests: list[dict[str, Any]], uid: int, groups: list[int], count: int = 1
) -> list[dict[str, Any]]:
    """The answers to requests of another user, each over a connection of its own, in one process of his."""
    ours, his = os.pipe()

    def ask() -> None:
        for each in requests:
            os.write(his, _answer(path, each, count).rstrip(b"\n") + b"\n")

    child = _forked(ask, uid, groups)
    os.close(his)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read().splitlines()
    os.waitpid(child, 0)
    return [json.loads(each) for each in said]


def _answer(path: Path, request: dict[str, Any], count: int) -> bytes:
    try:
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(str(path))
            control.sendall(json.dumps(request).encode() + b"\n")
            with control.makefile("rb") as lines:
                said = b""
                while count:  # an order that is refused at once has one answer alone
                    said, count = lines.readline(), count - 1
                    if b'"ok":false' in said:
                        break
    except OSError as error:
        said = json.dumps({"errno": error.errno}).encode()
    return said or b"{}"


def connected_as(path: Path, uid: int, groups: list[int]) -> socket.socket:
    """A connection of another user, made by a process of his, for this one to use. Raises OSError as his would."""
    return all_connected_as(path, uid, groups, 1)[0]


def all_connected_as(path: Path, uid: int, groups: list[int], count: int) -> list[socket.socket]:
    """So many connections of another user, as `connected_as` makes one."""
    ours, his = socket.socketpair()

    def connect() -> None:
        made = [socket.socket(socket.AF_UNIX) for _ in range(count)]
        if not (wrong := max(each.connect_ex(str(path)) for each in made)):
            socket.send_fds(his, [b"ok"], [each.fileno() for each in made])
        else:
            his.sendall(str(wrong).encode())

    child = _forked(connect, uid, groups)
    his.close()
    with ours:
        said, passed, *_ = socket.recv_fds(ours, 16, count)
    os.waitpid(child, 0)
    if not passed:
        raise OSError(int(said), os.strerror(int(said)))
    return [PatientSocket(fileno=each) for each in passed]


def _forked(work: Callable[[], None], uid: int, groups: list[int]) -> int:
    """The id of a fork of this process that does some work as another user, and ends."""
    child = os.fork()
    if child == 0:
        try:
            _become(uid, groups)
            work()
        finally:
            os._exit(0)
    return child


def _become(uid: int, groups: list[int]) -> None:
    os.setgroups(groups)
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


class Forked:
    """A command of another user, in a fork of this process: what it imports must be loaded. Reads like a Popen."""

    def __init__(self, run: Callable[[], int], uid: int, groups: list[int]) -> None:
        out, his_out = os.pipe()
        err, his_err = os.pipe()
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            os._exit(_run(run, uid, groups, his_out, his_err))
        os.close(his_out)
        os.close(his_err)
        self.stdout, self.stderr = os.fdopen(out), os.fdopen(err)

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def wait(self) -> int:
        """The exit code, once it has ended."""
        while (code := self.poll()) is None:
            time.sleep(0.01)
        return code

    def kill(self) -> None:
        """Ends it, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def _run(run: Callable[[], int], uid: int, groups: list[int], out: int, err: int) -> int:
    try:
        os.dup2(out, 1)
        os.dup2(err, 2)
        gc.disable()  # what is the daemon's is not ended here
        for number in [int(each.name) for each in Path("/proc/self/fd").iterdir()]:
            if number > 2 and os.isatty(number):
                os.close(number)  # the daemon's lock on the reader's port would stay with it
        sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
        _become(uid, groups)
        try:
            code = run()
        except SystemExit as end:
            code = int(end.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
        return 99
    return code
