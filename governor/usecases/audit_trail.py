"""Everything that is done with the audit trail, in one hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from governor.ports.signing import KnownKeys, Signer
from governor.ports.store import UnitOfWork
from governor.ports.trail_care import TrailCares
from governor.usecases.anchor_trail import AnchorTrail
from governor.usecases.care_for_trail import CareForTrail
from governor.usecases.export_trail import ExportTrail
from governor.usecases.read_trail import ReadTrail
from governor.usecases.verify_trail import VerifyTrail


@dataclass(frozen=True)
class AuditTrail:
    """List it, verify it, export it, anchor it, and know when that was last done."""

    read: ReadTrail
    verify: VerifyTrail
    export: ExportTrail
    anchor: AnchorTrail
    care: CareForTrail


def audit_trail(
    store: UnitOfWork,
    kept: TrailCares,
    now: Callable[[], datetime],
    signer: Signer | None,
    keys: KnownKeys | None,
) -> AuditTrail:
    """With the installation's own key, if it has one; `now` is the database's time, never moved."""
    read = ReadTrail(store)
    anchor = AnchorTrail(read, now, signer)
    care = CareForTrail(store, kept, now)
    return AuditTrail(read, VerifyTrail(read, keys), ExportTrail(read, anchor), anchor, care)
