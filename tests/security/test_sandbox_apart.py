"""The provider twin takes orders from whoever reaches it: nothing that is deployed does. RELIABILITY §5.2 T50."""

import re
from pathlib import Path

from governor.api.app import ROUTES
from governor.console.pages import PAGES

STARTED = re.compile(r"^ExecStart=\S*/governor (\S+)", re.MULTILINE)


def test_what_is_deployed_starts_no_twin_and_leads_to_none(project_root: Path) -> None:
    units = sorted((project_root / "deploy" / "systemd").iterdir())
    started = [word for unit in units for word in STARTED.findall(unit.read_text(encoding="utf-8"))]
    assert {"web", "worker", "relay", "cron"} <= set(started)
    assert {"sandbox", "up"} & set(started) == set()
    given = [
        path for path in (project_root / "deploy").rglob("*") if path.suffix in {".conf", ".service", ""}
    ]
    told = [path.read_text(encoding="utf-8") for path in given if path.is_file()]
    assert any("proxy_pass" in text for text in told), "the proxy's configuration is among them"
    assert not any("_sandbox" in text or "PROVIDER_URL" in text for text in told)


def test_no_route_of_ours_is_the_twins() -> None:
    rules = [*(route.rule for route in ROUTES), *(page.rule for page in PAGES)]
    assert len(rules) > 100
    assert [rule for rule in rules if "sandbox" in rule] == []
