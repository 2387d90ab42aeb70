"""Who gets answers, and the headers that tell browsers how to treat them.

Every web page in a user's browser can reach a server on the same machine. So the server answers
only to its own names (a page whose host name was made to point here gets nothing), tells browsers
to let no other site use its answers, and does nothing that another site requests.

A server that other machines can reach answers only to clients that know its token. The token is
part of the printed address; a cookie keeps it from then on.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
import secrets
import socket
from collections.abc import Callable, Iterable
from urllib.parse import quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hbtom.show.document import POLICY

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
_HOST = re.compile(r"(?P<name>\[[0-9a-f.]*:[0-9a-f:.]*\]|[^\s\[\]:/?#@,]+)(:[0-9]{1,5})?")
_SCRIPT = re.compile(r'<script type="module">(.*?)</script>', re.DOTALL)


class HostCheck:
    """Stands before the application: refuses foreign requests, and adds headers to answers."""

    def __init__(
        self,
        app: ASGIApp,
        host: str,
        token: str | None,
        policy: str,
        refuse: Callable[[str], Response],
    ) -> None:
        self._app = app
        self._token = token
        address = _address(host)
        self._any_address = address is not None and address.is_unspecified
        self._names = {*LOOPBACK, host.lower()}
        if self._any_address:  # it listens to everyone who can reach this machine
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        self._headers = {**_HEADERS, "content-security-policy": policy}
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        problem = self._problem(scope["method"], Headers(scope=scope))
        app = self._admitted(HTTPConnection(scope)) if problem is None else self._refuse(problem)
        await app(scope, receive, guarded)

    def _admitted(self, request: HTTPConnection) -> ASGIApp:
        """Return the application if there is no token or the client knows it; else a refusal."""
        if self._token is None:
            return self._app
        if _same(request.query_params.get("token", ""), self._token):
            return _welcome(request, self._token)
        if _same(request.cookies.get(_cookie(self._token), ""), self._token):
            return self._app
        return self._refuse("Open the address that the server printed, including its token.")

    def _problem(self, method: str, headers: Headers) -> str | None:
        """Return why a request is refused; None if it is not."""
        host = headers.get("host", "")
        if not self._is_ours(host):
            return "This server does not go by that name."
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if method in ("GET", "HEAD"):
            opened = headers.get("sec-fetch-mode") == "navigate"
            ok = opened or site in (None, "same-origin", "none")
        else:
            ok = site in (None, "same-origin") and origin in (None, f"http://{host}")
            ok = ok and (site, origin) != (None, None)
        return None if ok else "This server refuses requests from other sites."

    def _is_ours(self, host: str) -> bool:
        """Return whether a Host header names this server; its port may be that of a tunnel."""
        found = _HOST.fullmatch(host.lower())
        name = found["name"].strip("[]").rstrip(".") if found else ""
        return name in self._names or (self._any_address and _address(name) is not None)


def _same(given: str, token: str) -> bool:
    """Compare in a time that does not reveal how much is right."""
    return secrets.compare_digest(given.encode(errors="replace"), token.encode())


def _cookie(token: str) -> str:
    """Return the cookie's name; servers on one machine share cookies, so their names differ."""
    return f"hbtom-{hashlib.sha256(token.encode()).hexdigest()[:8]}"


def _welcome(request: HTTPConnection, token: str) -> Response:
    """Set the token as a cookie, and redirect to the same address without it."""
    others = [
        (name, value) for name, value in request.query_params.multi_items() if name != "token"
    ]
    path = "/" + quote(request.scope["path"].lstrip("/"))  # never to another host
    answer = RedirectResponse(f"{path}?{urlencode(others)}" if others else path, status_code=303)
    answer.set_cookie(_cookie(token), token, httponly=True, samesite="lax")
    return answer


def policy(documents: Iterable[str]) -> str:
    """Return a Content-Security-Policy under which only the scripts of these documents run.

    These scripts must not contain anything from users' files.
    """
    scripts = sorted({script for text in documents for script in _SCRIPT.findall(text)})
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    inline = "script-src 'unsafe-inline'"
    assert inline in POLICY
    rules = POLICY.replace(inline, f"script-src {allowed}")
    return f"{rules}; connect-src 'self'; frame-ancestors 'none'"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach this host."""
    address = _address(host)
    return host.lower() == "localhost" or (address is not None and address.is_loopback)


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
