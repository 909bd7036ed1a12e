"""The kinds of long work, whose results are written as this surface writes the same.

Another kind is a class like those in usecases/work_*.py, and an entry here.
"""

from __future__ import annotations

from collections.abc import Callable

from governor.api.shown_audit import HEADING, csv_row, shown_manifest, shown_verdict
from governor.api.shown_reports import csv_of, shown_report
from governor.api.shown_simulation import shown_simulation
from governor.api.simulation import proposed_policy
from governor.usecases.audit_trail import AuditTrail
from governor.usecases.catch_up import CatchUp
from governor.usecases.read_inbox import ReadInbox
from governor.usecases.reconcile import Reconcile
from governor.usecases.run_long_work import Works
from governor.usecases.simulate_policy import SimulatePolicy
from governor.usecases.unknown_desk import UnknownDesk
from governor.usecases.work_look_again import LookingAgain
from governor.usecases.work_reconcile import Reconciling
from governor.usecases.work_simulate import Simulating
from governor.usecases.work_trail import ExportingTrail, VerifyingTrail


def works_of(
    catch_up: CatchUp,
    read_inbox: ReadInbox,
    reconcile: Reconcile,
    audit: AuditTrail,
    desk: UnknownDesk,
    simulate: SimulatePolicy,
    pause: Callable[[float], None],
) -> Works:
    """Every kind by its name. `pause` waits for so many seconds."""
    return {
        "reconcile": Reconciling(catch_up, read_inbox, reconcile, shown_report, csv_of),
        "export_trail": ExportingTrail(audit, csv_row, HEADING, shown_manifest),
        "verify_trail": VerifyingTrail(audit, shown_verdict),
        "look_again": LookingAgain(desk, pause),
        "simulate_policy": Simulating(simulate, proposed_policy, shown_simulation),
    }
