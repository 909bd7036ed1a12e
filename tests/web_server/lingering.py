"""The echo behind a server that waits, for longer than any test does, until a client whose connection it closes hangs up."""

from governor import web_server
from tests.stack import PATIENCE_SECONDS
from tests.web_server.echo import application as application

web_server.LINGER_SECONDS = 10 * PATIENCE_SECONDS  # type: ignore[misc]  # set in the process of this server alone
