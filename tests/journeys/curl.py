"""As much of curl as the README's tour needs, for machines that have none: -s, -X, -H, -d and an address.

Run as a program. Anything else it is asked for is an error, so that the tour cannot come to need more unnoticed.
"""

from __future__ import annotations

import sys
from http.client import HTTPConnection
from urllib.parse import urlsplit


def main(arguments: list[str]) -> int:
    """Prints the body of the answer, whatever its status; 2 for what it does not know."""
    headers: dict[str, str] = {}
    method: str | None = None
    body: str | None = None
    address = ""
    words = iter(arguments)
    for word in words:
        if word == "-H":
            name, _, value = next(words).partition(":")
            headers[name] = value.strip()
        elif word == "-d":
            body = next(words)
        elif word == "-X":
            method = next(words)
        elif word != "-s" and (word.startswith("-") or address):
            sys.stderr.write(f"curl: {word}: not known here\n")
            return 2
        elif word != "-s":
            address = word
    if body is not None:
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    url = urlsplit(address)
    connection = HTTPConnection(str(url.hostname), url.port)
    target = f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"
    connection.request(method or ("GET" if body is None else "POST"), target, body and body.encode(), headers)
    sys.stdout.write(connection.getresponse().read().decode())
    connection.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
