"""People with uids and groups of their own at a table's sockets; needs root."""

import json
import os
import socket
from pathlib import Path
from typing import Any

from firmware_bridge.facts.rights import GROUPS

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
    ours, his = os.pipe()
    child = os.fork()
    if child == 0:
        os._exit(_ask(path, request, uid, groups, count, his))
    os.close(his)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    answer: dict[str, Any] = json.loads(said)
    return answer


def _ask(path: Path, request: dict[str, Any], uid: int, groups: list[int], count: int, pipe: int) -> int:
    try:
        os.setgroups(groups)
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(20)
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
    os.write(pipe, said or b"{}")
    return 0
