"""Reading what a report shows: its lines on the page, and the rows of the file that is taken home."""

import csv
import io

from tests.console.browsing import Seen

REPORTS = "/console/e/test/reports"


def lines(seen: Seen) -> list[str]:
    """The text of each line of a report's table."""
    return [row.text for row in seen.all("tr")[1:]]


def file_of(seen: Seen) -> list[dict[str, str]]:
    """The rows of a report's spreadsheet, by column."""
    return list(csv.DictReader(io.StringIO(seen.html)))
