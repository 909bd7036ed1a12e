"""A program that behaves like one of governor's, and is ready at once.

``web HOST:PORT`` answers every GET with 200; any other role prints a line and waits. Both end on SIGTERM, unless the
variable SMALL_STUBBORN names the role. A role named in SMALL_PARENT has a child in a process group of its own, as an
RQ worker has. SMALL_BROKEN names a role that ends at once.
"""

import os
import signal
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread


class _AlwaysWell(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def main(role: str, address: str | None = None) -> int:
    asked = Event()
    signal.signal(signal.SIGTERM, lambda *_: asked.set())
    if role == os.environ.get("SMALL_STUBBORN"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if role == os.environ.get("SMALL_BROKEN"):
        _say(f"{role} cannot work")
        return 7
    if role == os.environ.get("SMALL_PARENT"):
        subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], process_group=0)
    if address is not None:
        host, port = address.split(":")
        server = HTTPServer((host, int(port)), _AlwaysWell)
        Thread(target=server.serve_forever, daemon=True).start()
    _say(f"{role} works")
    asked.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
