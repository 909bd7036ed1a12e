import csv
import io
from typing import Any

from tests.cli.story import ENVIRONMENT, Story
from tests.cli.telling import Told


def _lines(value: dict[str, Any], explanation: str) -> list[dict[str, Any]]:
    return [line for line in value["lines"] if line["explanation"] == explanation]


def test_a_story_without_secrets_is_explained_line_by_line(here: Told) -> None:
    heard = here("reconcile", "--json")
    assert heard.code == 0
    assert (heard.value["environment"], heard.value["unexplained"]) == (ENVIRONMENT, 0)
    assert heard.value["compared_with_provider"] is True
    assert len(_lines(heard.value, "matches")) == 2
    assert len(_lines(heard.value, "not_sent")) == 2
    (elsewhere,) = _lines(heard.value, "ungoverned")
    assert elsewhere["evidence"]["succeeded"] == elsewhere["exposure"]["settled"] == 400
    totals = heard.value["totals"]
    assert totals["difference"] == totals["exposure"]["held"]


def test_people_read_both_planes_side_by_side(here: Told) -> None:
    text = here("reconcile").text
    assert "exposure: held 23000, settled 31900" in text
    assert "evidence: pending 0, succeeded 31900, failed 0" in text
    assert "0 unexplained" in text


def test_csv_has_a_row_for_each_line(here: Told) -> None:
    heard = here("reconcile", "--csv")
    rows = list(csv.DictReader(io.StringIO(heard.text)))
    assert len(rows) == 5
    assert {row["explained"] for row in rows} == {"true"}


def test_offline_asks_the_provider_nothing(here: Told, story: Story) -> None:
    before = len(story.twin.calls())
    heard = here("reconcile", "--offline", "--json")
    assert (heard.code, heard.value["compared_with_provider"]) == (0, False)
    assert len(story.twin.calls()) == before


def test_a_period_is_dates_or_times_with_their_zone(here: Told) -> None:
    assert here("reconcile", "--from", "2020-01-01", "--to", "2020-02-01", "--json").value["lines"] == []
    for wrong in ("yesterday", "2026-01-01T00:00:00", "1.1.2026"):
        assert here("reconcile", "--from", wrong).code == 2
    assert here("reconcile", "--from", "2026-02-01", "--to", "2026-01-01").code != 0
