"""A family of credentials as a second, simple book: who lives until when, which secret opens, who has asked for what."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

FOR_EVER = datetime.max.replace(tzinfo=UTC)


@dataclass
class Member:
    """A credential of the family. `ends` and `cap` are its own, None for without."""

    id: str
    parent: "Member | None"
    ends: datetime | None
    cap: int | None
    revoked: bool = False

    def line(self) -> "list[Member]":
        """Itself and its ancestors."""
        return [self, *(self.parent.line() if self.parent else [])]

    def lives_at(self, now: datetime) -> bool:
        """Whether it and all its ancestors do."""
        return all(not one.revoked and (one.ends is None or now < one.ends) for one in self.line())

    def latest_end(self) -> datetime:
        """The last moment it could live."""
        return min((one.ends for one in self.line() if one.ends), default=FOR_EVER)


@dataclass
class Secret:
    """A key that was handed out, for one member. `until` is set when another has replaced it."""

    key: str
    member: Member
    until: datetime | None = None

    def opens_at(self, now: datetime) -> bool:
        """Whether it does."""
        return self.member.lives_at(now) and (self.until is None or now < self.until)


@dataclass
class Family:
    """All of one root."""

    members: list[Member] = field(default_factory=list)
    secrets: list[Secret] = field(default_factory=list)
    asked: list[tuple[Member, int]] = field(default_factory=list)
    left: list[tuple[Member, int]] = field(default_factory=list)
    """What was sent, which nobody gives back."""

    def spent_by(self, member: Member) -> int:
        """What it and all below it have asked for and still hold, and what of theirs has left."""
        return sum(amount for asker, amount in [*self.asked, *self.left] if member in asker.line())

    def fits(self, asker: Member, amount: int) -> bool:
        """Whether nobody of the asker's line is over its own cap with it."""
        return all(one.cap is None or self.spent_by(one) + amount <= one.cap for one in asker.line())

    def replaced(self, member: Member, key: str, until: datetime) -> None:
        """A new secret: the present one opens until then, the one before no more."""
        for secret in [one for one in self.secrets if one.member is member]:
            if secret.until is None:
                secret.until = until
            else:
                self.secrets.remove(secret)
        self.secrets.append(Secret(key, member))

    def revoked(self, member: Member) -> None:
        """It and all below it are gone, with all that they have asked for and is not sent."""
        member.revoked = True
        self.asked = [(asker, amount) for asker, amount in self.asked if member not in asker.line()]
