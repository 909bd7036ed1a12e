"""What happens to a refund by itself, some time after its creation."""

from adapters.sandbox import refunds
from adapters.sandbox.work import Work
from adapters.sandbox.world import World


def fire_due(world: World) -> None:
    """Lets everything happen that is due by the twin's clock."""
    now = world.clock.now()
    for account in world.accounts.values():
        work = Work(world, account)
        while (refund_id := next(iter(account.outcomes), None)) is not None:
            outcome = account.outcomes[refund_id]
            if outcome["due"] > now:
                break
            account.outcomes.remove(refund_id)
            _happen(work, refund_id, outcome["change"])


def _happen(work: Work, refund_id: str, change: str) -> None:
    match change:
        case "succeed":
            refunds.succeed(work, refund_id)
        case "fail":
            refunds.fail(work, refund_id, "expired_or_canceled_card")
        case _:
            refunds.receive_reference(work, refund_id)
