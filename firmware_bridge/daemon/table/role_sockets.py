"""The Unix sockets on which a daemon is asked: its own, and one for the group of each role."""

import asyncio
import gc
import logging
import os
import pwd
import socket
import stat
import struct
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from firmware_bridge.config.doors import GARBAGE, SOCKET
from firmware_bridge.config.socket_address import socket_address
from firmware_bridge.daemon.table.connection import Connection, Cut
from firmware_bridge.daemon.table.fair_turns import CountedLog, Pace
from firmware_bridge.daemon.table.validation import shown
from firmware_bridge.errors import in_words
from firmware_bridge.facts import orders
from firmware_bridge.facts.book.roles import GROUPS, Role
from firmware_bridge.facts.inputs import Person
from firmware_bridge.facts.names import unfit_word
from firmware_bridge.facts.orders import LONGEST_NAME
from firmware_bridge.facts.rights import roles_for

log = logging.getLogger(__name__)

FULL: Final = "too_many_connections"
"""Code of the answer to one more."""

LOOKS: Final = 5
LOOK_S: Final = 0.01
"""How often, and every how many seconds, a connection too many finds out whether another one has ended."""


_UCRED: Final = struct.Struct("3i")
"""pid, uid and gid of SO_PEERCRED (unix(7))."""


class Caller(NamedTuple):
    """Who is at the other end of a connection, by the kernel. pid: 0 for a process in another namespace."""

    role: Role
    uid: int
    login: str
    pid: int

    def person(self, terminal: object = None) -> Person:
        """Return the caller as it goes on record. terminal: what the command says; left out if it is no short text."""
        is_text = isinstance(terminal, str) and not unfit_word(terminal, LONGEST_NAME)
        return Person(self.uid, self.login, self.role, str(terminal) if is_text else "")


Serve = Callable[[Caller, Connection], Awaitable[None]]


class RoleSockets:
    """Listens at the control socket, and at one of its name in each folder beside it that is named after a role.

    The folders are made with the service (owner: the daemon's user, group: the role's, set-group-ID), so that a socket
    in one belongs to that group. Without them there is the control socket alone, for the daemon's user and root.

    A connection that fails, or is one too many, ends alone, with a line of the log a minute for all of its socket.
    """

    def __init__(self, path: Path, serve: Serve) -> None:
        self._path, self._serve = path, serve
        self._servers: dict[Path, asyncio.Server] = {}
        self._open: dict[Role, Counter[int]] = {}
        self._ended: dict[Role, CountedLog] = {}
        self._paces: dict[Role, Pace] = {}
        self._waiting = Counter[Role]()
        self._met = 0

    async def open(self) -> None:
        """Listen; a socket left by a daemon that died is replaced. Raises OSError for the control socket."""
        await self._listen(self._path, "owner", 0o600)
        for role in GROUPS:
            path = self._path.parent / role / self._path.name
            try:
                if is_ours(path.parent):
                    await self._listen(path, role, 0o660)
            except OSError as error:
                log.warning("the socket of the group %s cannot be opened (%s)", GROUPS[role], in_words(error))

    def close(self) -> None:
        """Stop listening; connections stay."""
        for server in self._servers.values():
            server.close()
        for ended in self._ended.values():
            ended.close()

    async def turn(self, role: Role) -> None:
        """Wait until the socket of a role may answer one more request that is no order."""
        await self._paces[role].turn()

    def remove(self) -> None:
        """Remove the sockets."""
        for path in self._servers:
            path.unlink(missing_ok=True)

    async def _listen(self, path: Path, role: Role, mode: int) -> None:
        path.unlink(missing_ok=True)
        self._open[role], self._paces[role] = Counter(), Pace(60 / SOCKET.a_minute)
        self._ended[role] = CountedLog(
            log, f"connections at the socket of {role} were ended", asyncio.get_running_loop()
        )

        async def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._meet(Connection(reader, writer), role, *_peer(writer))

        with socket_address(path) as address:
            server = await asyncio.start_unix_server(met, address, limit=SOCKET.longest // 2, backlog=SOCKET.of_all)
        self._servers[path] = server
        path.chmod(mode)

    async def _meet(self, connection: Connection, role: Role, pid: int, uid: int) -> None:
        """Serve a connection until it ends. Raises no error: no connection ends the daemon."""
        here, is_taken = self._open[role], False
        try:
            is_taken = await self._has_room(connection, role, uid)
            if not is_taken:
                connection.put(orders.refused("too_many_connections", one=SOCKET.of_one, all=SOCKET.of_all))
                raise Cut(f"more than {SOCKET.of_one} connections of a login, {SOCKET.of_all} in all")
            login = await asyncio.to_thread(login_of, uid)  # a directory service may take its time
            await self._serve(Caller(role, uid, login, pid), connection)
        except Cut as error:
            self._ended[role].add(f"uid {uid}: {error}")
        except ConnectionError:
            pass
        except Exception as error:
            self._ended[role].add(f"uid {uid}: {type(error).__name__} at {_place(error)}")
        finally:
            try:
                await connection.end()
            finally:
                self._met += 1
                if self._met % GARBAGE == 0:
                    gc.collect()
                here[uid] -= is_taken
                here += Counter()  # without those at 0

    async def _has_room(self, connection: Connection, role: Role, uid: int) -> bool:
        """Return whether a connection stays, and counts. Some too many wait, unread, for those just closed."""
        here = self._open[role]
        connection.read(False)
        if is_waiting := self._waiting[role] < SOCKET.of_one:
            self._waiting[role] += 1
        try:
            for look in range(LOOKS if is_waiting else 1):
                if here[uid] < SOCKET.of_one and here.total() < SOCKET.of_all:
                    here[uid] += 1
                    connection.read(True)
                    return True
                await asyncio.sleep(LOOK_S if look else 0)
        finally:
            self._waiting[role] -= is_waiting
        return False


def not_for(role: Role, do: str) -> orders.Answer | None:
    """Return the refusal of a request that a role may not send; None for one that it may."""
    may = roles_for(do.replace("-", "_"))
    if role == "owner" or role in may:
        return None
    groups = tuple(GROUPS[each] for each in may)
    return orders.refused("not_for_group", do=shown(do), group=GROUPS[role], groups=groups)


def is_of_a_connection(failed: Mapping[str, Any]) -> bool:
    """Return whether what the loop's handler got is an error of a connection, by the keys that asyncio gives it.

    Only connections here have transports; a listening socket is named where no file is left for another connection.
    """
    return "transport" in failed or "socket" in failed


def is_ours(folder: Path) -> bool:
    """Return whether a folder is there, and only root and this process's user can change what lies in it."""
    try:
        found = folder.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    is_private = found.st_uid in (0, os.geteuid()) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if stat.S_ISDIR(found.st_mode) and is_private:
        return True
    log.warning("%s is not used: others than root and this daemon may write into it", folder)
    return False


@lru_cache(256)
def login_of(uid: int) -> str:
    """Return the login of a user; "" where the uid has none, or one that is no short printable text."""
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        return ""
    return "" if unfit_word(name, LONGEST_NAME) else name


def _place(error: Exception) -> str:
    """Return the last line of ours that an error passed; its text could name a sealed card."""
    frames = traceback.extract_tb(error.__traceback__)
    last = [each for each in frames if "firmware_bridge" in Path(each.filename).parts][-1]
    return f"{Path(last.filename).name}:{last.lineno}"


def _peer(writer: asyncio.StreamWriter) -> tuple[int, int]:
    """Return the pid and uid of the process at the other end, as of its `connect`."""
    known = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
    pid, uid, _ = _UCRED.unpack(known)
    return pid, uid
