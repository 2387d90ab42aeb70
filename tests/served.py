"""A real ``hbtom browse`` or ``hbtom studio`` on a free port, and a client."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

SCREENS = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")


@dataclass(frozen=True)
class Answer:
    """A response of the server."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Served:
    """A server that runs until it is stopped."""

    def __init__(
        self, shown: Path, *words: str, cache: Path, verb: str = "browse", **environ: str
    ) -> None:
        usual = {name: value for name, value in os.environ.items() if name not in SCREENS}
        named = [] if shown.is_dir() and verb == "studio" else [str(shown)]
        command = [sys.executable, "-m", "hbtom", verb, *named, "--port", "0", *words]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**usual, "HBTOM_CACHE": str(cache), **environ},
            cwd=None if named else shown,  # where the studio saves
            start_new_session=True,  # a process group of its own, as a terminal would give it
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise AssertionError(self.process.communicate(timeout=30))
        self.port = urlsplit(self.address).port or 0

    @property
    def own(self) -> str:
        """The value of the header Host that a browser would send."""
        return f"127.0.0.1:{self.port}"

    def ask(
        self,
        target: str,
        *,
        method: str = "GET",
        headers: Iterable[tuple[str, str]] = (),
        body: bytes = b"",
    ) -> Answer:
        """Send a request; ``target`` goes over the wire unchanged."""
        lines = {"Host": self.own, "Connection": "close", **dict(headers)}
        if body:
            lines["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
        return self.say(f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body)

    def get(self, path: str, **query: str) -> Answer:
        """Request a page, with names and values in its address."""
        return self.ask(f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, body: bytes = b"", **query: str) -> Answer:
        """Send a request as a page of the server itself would."""
        target = f"{path}?{urlencode(query)}" if query else path
        origin = ("Origin", f"http://{self.own}")
        return self.ask(target, method="POST", headers=[origin], body=body)

    def say(self, data: bytes) -> Answer:
        """Send any bytes, and return the answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as wire:
            wire.sendall(data)
            method = "HEAD" if data.startswith(b"HEAD") else "GET"
            with closing(http.client.HTTPResponse(wire, method=method)) as answer:
                answer.begin()
                headers = {name.lower(): value for name, value in answer.getheaders()}
                return Answer(answer.status, headers, answer.read())

    def leave(self, target: str) -> None:
        """Send a request and leave without waiting for the answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as wire:
            linger = b"\x01\0\0\0\0\0\0\0"  # closing resets the connection
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            wire.sendall(f"GET {target} HTTP/1.1\r\nHost: {self.own}\r\n\r\n".encode())

    def stop(self, how: int = signal.SIGINT, *, everybody: bool = False) -> tuple[int, str]:
        """Stop the server, as Ctrl-C does; return its status and everything on standard error."""
        if everybody:
            os.killpg(self.process.pid, how)
        else:
            self.process.send_signal(how)
        _, complaints = self.process.communicate(timeout=60)
        return self.process.returncode, complaints
