"""Forms as values: what is asked, how it is read, and what was typed, with what is wrong about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from governor.domain.errors import FieldError, GovernorError, Invalid, Malformed

ONCE = "once"
"""The hidden field that makes one act of any number of clicks: the operation key of what the form does."""
CHECKED = "checked"
"""`yes` on the form of a check page; `no` when its reader wants to change something."""
RESUMED = "resumed"
"""Sent by the page that comes after signing in again: show what was typed, and do nothing."""
CONFIRMATION = "confirmation_needed"
"""The refusal that ends once somebody has proved again who they are."""
_OWN = (ONCE, CHECKED, RESUMED)
_ONCE = re.compile(r"[A-Za-z0-9_-]{16,64}")


def as_typed(text: str) -> str:
    """A text that needs no reading."""
    return text


@dataclass(frozen=True)
class Field:
    """One question. `kind` is how it is asked: text, area, amount, password, select, radios, checkbox, checkboxes or hidden.

    `read` turns what was typed into a value and raises Invalid, or ValueError with a sentence. `optional` answers may
    be empty and are then None; one that `depends` on another answer, or on which button
    is pressed, is not called optional. `pointer` is what a use case calls the field in its refusals.
    """

    name: str
    label: str
    hint: str = ""
    kind: str = "text"
    options: tuple[tuple[str, str], ...] = ()
    optional: bool = False
    depends: bool = False
    read: Callable[[str], object] = as_typed
    pointer: str = ""
    at_most: int = 500
    missing: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def many(self) -> bool:
        """Whether it may be answered several times."""
        return self.kind == "checkboxes"

    @property
    def is_secret(self) -> bool:
        """Whether what is typed is never sent back."""
        return self.kind == "password"

    def value(self, typed: Sequence[str]) -> object:
        """The value of what was typed; a tuple where there may be many.

        Raises:
            Invalid: about this field.
        """
        if self.many:
            return tuple(self._one(text) for text in typed)
        text = typed[0] if typed else ""
        # A password is taken as it is; spaces around any other answer are slips.
        text = text if self.is_secret else text.strip()
        if text:
            return self._one(text)
        if self.optional:
            return None
        raise self.wrong("missing", self.missing or f"Fill in: {self.label}.")

    def _one(self, text: str) -> object:
        if len(text) > self.at_most:
            raise self.wrong("too_long", f"At most {self.at_most} characters; this has {len(text)}.")
        if self.options and text not in dict(self.options):
            raise self.wrong("not_an_option", f"Choose one of the answers: {self.label}.")
        try:
            return self.read(text)
        except Invalid as refusal:
            raise self.wrong("invalid", refusal.errors[0].detail) from refusal
        except ValueError as refusal:
            raise self.wrong("invalid", str(refusal)) from refusal

    def wrong(self, code: str, detail: str) -> Invalid:
        """A refusal about this field."""
        return Invalid("validation_failed", detail, errors=(FieldError(f"/{self.name}", code, detail),))


@dataclass(frozen=True)
class Form:
    """The questions of one page, in their order."""

    fields: tuple[Field, ...]

    @property
    def secrets(self) -> frozenset[str]:
        """The names of the fields that are never sent back."""
        return frozenset(one.name for one in self.fields if one.is_secret)

    def named(self, name: str) -> Field:
        """The field of this name."""
        return next(one for one in self.fields if one.name == name)

    def with_options(self, **options: Sequence[tuple[str, str]]) -> Form:
        """With answers that are only known now."""
        chosen = [
            replace(one, options=tuple(options[one.name])) if one.name in options else one
            for one in self.fields
        ]
        return Form(tuple(chosen))


@dataclass(frozen=True)
class Filled:
    """A form as it stands: what was typed, and what is wrong. `once` is the operation key of what it does."""

    form: Form
    once: str
    typed: Mapping[str, tuple[str, ...]]
    checked: str = ""
    resumed: bool = False
    errors: tuple[tuple[str | None, str], ...] = ()
    """Pairs of a field's name, or None for the form as a whole, and a sentence."""

    def of(self, name: str) -> str:
        """What was typed into a field."""
        return (self.typed.get(name) or ("",))[0]

    def all_of(self, name: str) -> tuple[str, ...]:
        """What was chosen in a field that may be answered several times."""
        return tuple(self.typed.get(name, ()))

    def error_of(self, name: str) -> str | None:
        """What is wrong with a field."""
        return next((text for field_name, text in self.errors if field_name == name), None)

    def read(self) -> dict[str, Any]:
        """All values by field.

        Raises:
            Invalid: with everything that is wrong, or because it was sent before signing in again.
        """
        values, errors = {}, []
        if self.resumed:
            sentence = "You were signed out before this was sent, so nothing was done. Look at it, and send it again."
            errors.append(FieldError("", "resumed", sentence))
        for one in self.form.fields:
            try:
                values[one.name] = one.value(self.typed.get(one.name, ()))
            except Invalid as refusal:
                errors += refusal.errors
        if errors:
            raise Invalid("validation_failed", "The form cannot be used yet.", errors=tuple(errors))
        return values

    def refused(self, refusal: GovernorError) -> Filled:
        """The same form with what a refusal says, each sentence at its field.

        Raises:
            Forbidden: `confirmation_needed` is nothing to correct: they prove who they are, and it is sent again.
        """
        if refusal.code == CONFIRMATION:
            raise refusal
        if not isinstance(refusal, Invalid) or not refusal.errors:
            return replace(self, errors=((None, refusal.detail),))
        return replace(self, errors=tuple((self._field(one), one.detail) for one in refusal.errors))

    def _field(self, error: FieldError) -> str | None:
        for one in self.form.fields:
            if error.pointer in {one.pointer or f"/{one.name}", f"/{one.name}"}:
                return one.name
        return None


def filled_in(form: Form, sent: Mapping[str, tuple[str, ...]]) -> Filled:
    """A form out of what a browser sent.

    Raises:
        Malformed: `form_malformed` for a field that the form does not have, one that is repeated, or no once-key.
    """
    names = {one.name for one in form.fields}
    repeated = [name for name, values in sent.items() if len(values) > 1]
    if set(sent) - names - set(_OWN) or any(name in _OWN or not form.named(name).many for name in repeated):
        raise malformed()
    own = {name: sent.get(name, ("",))[0] for name in _OWN}
    if not _ONCE.fullmatch(own[ONCE]):
        raise malformed()
    typed = {name: values for name, values in sent.items() if name in names}
    return Filled(form, own[ONCE], typed, own[CHECKED], bool(own[RESUMED]))


def malformed() -> Malformed:
    """What is said of a form that no page of ours sent."""
    return Malformed(
        "form_malformed", "This is not a form that a page of the console sends. Nothing was done."
    )
