"""Receives the webhooks of a floor: `python receive_webhooks.py rounds.db key 8000`.

Each event is stored once, under its source and id, in the transaction before the answer: so one that comes again is
no second one, and one that was answered is kept. Put what has TLS before it.
"""

import hmac
import json
import sqlite3
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from time import time

MOST = 64 * 1024 * 1024
"""Most bytes of a request: 500 messages are less."""

OLDEST_S = 300
"""A request that was signed longer ago may be an old one that somebody kept."""


def is_signed(key: bytes, headers: dict[str, str], body: bytes) -> bool:
    """Return whether a request is signed with the key, and now."""
    at = headers.get("webhook-timestamp", "")
    if not at.isdecimal() or abs(time() - int(at)) > OLDEST_S:
        return False
    signed = f"{headers.get('webhook-id', '')}.{at}.".encode() + body
    wanted = "v1," + b64encode(hmac.digest(key, signed, sha256)).decode()
    return hmac.compare_digest(wanted.encode(), headers.get("webhook-signature", "").encode("latin-1"))


def main(path: str, key_file: str, port: str) -> None:
    """Receive until the process is ended."""
    key = b64decode(Path(key_file).read_text().strip().removeprefix("whsec_"))
    db = sqlite3.connect(path)
    db.execute("pragma synchronous = full")
    db.execute("create table if not exists event (source, id, sequence, type, data, primary key (source, id))")

    class Handler(BaseHTTPRequestHandler):
        timeout = 30

        def do_POST(self) -> None:
            length = self.headers.get("content-length", "")
            body = self.rfile.read(int(length)) if length.isdecimal() and int(length) <= MOST else b""
            if not is_signed(key, {name.lower(): value for name, value in self.headers.items()}, body):
                self.answer(401)
                return
            found = json.loads(body)
            with db:
                for event in found if isinstance(found, list) else [found]:
                    row = (event["source"], event["id"], event["sequence"], event["type"], json.dumps(event["data"]))
                    db.execute("insert or ignore into event values (?, ?, ?, ?, ?)", row)
            self.answer(204)

        def answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

    HTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:4])
