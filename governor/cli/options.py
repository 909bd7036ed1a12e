"""What several commands are given: folders, environments, amounts. Strict, since a misread amount is a wrong refund."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import click

from governor.domain.money import EXPONENTS
from governor.domain.windows import moment

Word = TypeVar("Word", bound=StrEnum)
Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_WHOLE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
_WORD = re.compile(r"[^\x00-\x1f\x7f]{1,128}")
_ENVIRONMENT = re.compile(r"[a-z][a-z0-9-]{0,31}", re.ASCII)


class Whole(click.ParamType[int]):
    """An integer in its one spelling: no point, no exponent, no sign, no separator. Amounts are minor units."""

    name = "integer"

    def __init__(self, least: int = 0, most: int | None = None) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401  click's signature
        """The number, or a usage error."""
        if isinstance(value, int):
            return value
        if not _WHOLE.fullmatch(value):
            self.fail(
                "a whole number is digits only; amounts are in minor units (1500, not 15.00)", param, ctx
            )
        number = int(value)
        if number < self._least or (self._most is not None and number > self._most):
            self.fail(
                f"it must be {self._least} or more" + (f", {self._most} at most" if self._most else ""),
                param,
                ctx,
            )
        return number


class AmountOrRest(Whole):
    """An amount in minor units, or `remaining`."""

    name = "integer|remaining"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401  click's signature
        """The number, or the word."""
        return value if value == "remaining" else super().convert(value, param, ctx)


class Currency(click.ParamType[str]):
    """A lower-case currency code that Stripe refunds in."""

    name = "currency"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401  click's signature
        """The code, or a usage error."""
        if value not in EXPONENTS:
            self.fail("a currency is a lower-case code such as usd", param, ctx)
        return str(value)


class Bounds(click.ParamType[dict[str, int]]):
    """Amounts in minor units by currency, `usd=50000,eur=40000`, or `never`."""

    name = "currency=amount,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, int]:  # noqa: ANN401  click's signature
        """The amounts by currency, or a usage error."""
        bounds: dict[str, int] = {}
        for one in () if value == "never" else value.split(","):
            currency, _, amount = one.partition("=")
            if Currency().convert(currency, param, ctx) in bounds:
                self.fail("a currency is named twice", param, ctx)
            bounds[currency] = Whole().convert(amount, param, ctx)
        return bounds


class Moment(click.ParamType[datetime]):
    """A date (its first instant in UTC), or an RFC 3339 time with its zone."""

    name = "date|time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:  # noqa: ANN401  click's signature
        """The moment, or a usage error."""
        try:
            return moment(value)
        except ValueError:
            self.fail("a moment is a date or an RFC 3339 time with its zone", param, ctx)


class OneOf(click.Choice[Word]):
    """One word of an enum, spelled as everywhere else: by its value."""

    def __init__(self, words: type[Word]) -> None:
        super().__init__(words)

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:  # noqa: ARG002  click's signature
        """What is typed for a word."""
        return str(choice)


class Matching(click.ParamType[str]):
    """A text that a pattern matches whole."""

    name = "text"

    def __init__(self, pattern: re.Pattern[str], says: str) -> None:
        self._pattern, self._says = pattern, says

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401  click's signature
        """The text, or a usage error."""
        if not self._pattern.fullmatch(value):
            self.fail(self._says, param, ctx)
        return str(value)


WORD = Matching(_WORD, "it is 1 to 128 characters in one line")
ENVIRONMENT_NAME = Matching(_ENVIRONMENT, "a name is a-z, 0-9 and '-', 32 at most, and begins with a letter")


def page_options(order: str) -> Callable[[Decorated], Decorated]:
    """`--limit` and `--after` of a list that comes in pages; `order` says which come first."""

    def decorate(command: Decorated) -> Decorated:
        after = click.option("--after", help="The next_cursor of the page before.")
        limit = click.option(
            "--limit", type=Whole(1, 100), default=50, show_default=True, help=f"How many, {order} first."
        )
        return limit(after(command))

    return decorate


def page_query(limit: int, after: str | None) -> list[tuple[str, str]]:
    """The query that asks for one page."""
    return [("limit", str(limit)), *([("after", after)] if after else [])]


def data_option(says: str = "Folder of a `governor up`, running or not.") -> Callable[[Decorated], Decorated]:
    """`--data DIR`; when it is not given, the one given to `governor` itself, or None."""
    return click.option(
        "--data", type=click.Path(path_type=Path, file_okay=False), callback=_or_of_root, help=says
    )


def _or_of_root(ctx: click.Context, _option: click.Parameter, data: Path | None) -> Path | None:
    found: Path | None = data or ctx.find_root().params.get("data")
    return found


environment_option = click.option(
    "--environment",
    type=ENVIRONMENT_NAME,
    envvar="GOVERNOR_ENVIRONMENT",
    help="Which environment; needed only when there are several.",
)
