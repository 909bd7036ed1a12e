"""What every command answers: a text for people or JSON for programs, and an exit code that means something."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click

from governor.domain.errors import GovernorError, Invalid, Unavailable

REFUSED: Final = 1
"""Refused, denied or broken: the command was understood, and the answer is no."""
USAGE: Final = 2
"""The command cannot be understood, or a value in it cannot be used. (click's own code for it.)"""
UNAVAILABLE: Final = 4
"""Nothing was decided: something that is needed does not answer. The same command may be given again."""

_JSON: Final = "governor.json"


@dataclass(frozen=True)
class Said:
    """An answer. `value` is its JSON form, `text` what a person reads."""

    value: Any
    text: str
    exit_code: int = 0


class Command(click.Command):
    """A command whose function returns a `Said`. `--json` is on all of them, so that none can forget it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  click's own signature
        super().__init__(*args, **kwargs)
        self.params.append(
            click.Option(["--json"], is_flag=True, expose_value=False, callback=_note, help="Answer in JSON.")
        )

    def invoke(self, ctx: click.Context) -> None:
        """Run it, say the answer or the refusal, and exit with what it means."""
        try:
            said = super().invoke(ctx)
        except GovernorError as error:
            said = _refusal(error)
        if ctx.meta.get(_JSON):
            click.echo(json.dumps(said.value, indent=2, ensure_ascii=False))
        else:
            click.echo(said.text, err=said.exit_code in {USAGE, UNAVAILABLE})
        ctx.exit(said.exit_code)


class Group(click.Group):
    """Commands about one kind of thing."""

    command_class = Command


def _note(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    ctx.meta[_JSON] = wanted


def _refusal(error: GovernorError) -> Said:
    value: dict[str, Any] = {"code": error.code, "detail": error.detail, **error.extra}
    if isinstance(error, Invalid) and error.errors:
        value["errors"] = [vars(one) for one in error.errors]
    lines = [f"governor: {error.detail} ({error.code})"]
    lines += [f"  {one['pointer']}: {one['detail']}" for one in value.get("errors", ())]
    lines += [f"  {line}" for line in unresolved(error.extra.get("refund_request") or {})]
    lines += [f"  {line}" for line in arithmetic(error.extra.get("limits", ()))]
    if error.extra.get("next_action"):
        lines.append(
            f"  next: {error.extra['next_action']} {error.extra.get('next_action_at') or ''}".rstrip()
        )
    return Said({"error": value}, "\n".join(lines), _exit_code(error))


def _exit_code(error: GovernorError) -> int:
    if isinstance(error, Unavailable):
        return UNAVAILABLE
    return USAGE if isinstance(error, Invalid) and error.errors else REFUSED


def listed(rows: Sequence[Mapping[str, Any]], columns: Iterable[str], nothing: str) -> Said:
    """A list: all of it in JSON, some columns of it for people."""
    names = list(columns)
    if not rows:
        return Said({"data": []}, nothing)
    cells = [names, *([_cell(row[name]) for name in names] for row in rows)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(names))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return Said({"data": list(rows)}, "\n".join(line.rstrip() for line in lines))


_SAID_APART: Final = {"limits", "unresolved"}


def page_said(page: Mapping[str, Any], text: str) -> Said:
    """One page of a list: what is told of it, and how to go on."""
    more = f"\nmore: --after {page['next_cursor']}" if page["has_more"] else ""
    return Said(page, text + more)


def shown(thing: Mapping[str, Any], *, exit_code: int = 0, first: str = "") -> Said:
    """One thing, a member a line; `first` is a sentence before it."""
    width = max(map(len, thing), default=0)
    lines = [f"{name:<{width}}  {_cell(value)}" for name, value in thing.items() if name not in _SAID_APART]
    lines += arithmetic(thing.get("limits", ()))
    before = [*([first] if first else []), *unresolved(thing)]
    return Said(dict(thing), "\n".join([*before, *lines]), exit_code)


def unresolved(thing: Mapping[str, Any]) -> list[str]:
    """What stands before anything else about a payment: its other requests of which nobody knows the end."""
    return [
        f"not resolved yet: {one['id']} of this payment is {one['state']} with {one['amount']} since {one['since']}"
        for one in thing.get("unresolved") or ()
    ]


def arithmetic(limits: Iterable[Mapping[str, Any]]) -> list[str]:
    """The sum of each limit that a decision looked at, as people write sums."""
    return [
        f"{one['limit']} ({one['scope']} {one['value']}, {_over(one)}): cap {one['cap']} - settled {one['settled']}"
        f" - reserved {one['reserved']} = {one['headroom']}, asked {one['requested']}"
        + (": no room" if one["requested"] > one["headroom"] else "")
        for one in limits
    ]


def _over(line: Mapping[str, Any]) -> str:
    """The window of a limit's line; a rolling one says how long it is."""
    return f"{line['window']} {line['window_days']} days" if line.get("window_days") else str(line["window"])


def _cell(value: Any) -> str:  # noqa: ANN401  JSON values are any
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
