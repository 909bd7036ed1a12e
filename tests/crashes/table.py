"""Where each story is broken off, and what the database says right afterwards.

One line each: the row of RELIABILITY §3 · checkpoint (`#n`: the n-th passing) · what a killed process leaves · what one
leaves that got an exception there, where that is another. `nothing`: no request is recorded under the client's key.
"""

TABLE = {
    "admission": """
        A2      admit.authenticated     nothing
        A1      admit.received          nothing
        A5      admit.queued            nothing
        A7,A9   admit.tx_begun          nothing
        A10     admit.decided           nothing
        A7      store.written           nothing
        A7      store.committed         nothing
        A7      admit.committed         nothing
        A3      admit.in_flight         nothing
        A3      provider.sent           nothing
        A3      provider.replied        nothing
        A3      admit.facts_read        nothing
        A5      admit.queued#2          nothing
        A7,A9   admit.tx_begun#2        nothing
        A10     admit.decided#2         nothing
        A8-A16  store.written#2         nothing
        A18     store.committed#2       queued
        A18     admit.committed#2       queued
        """,
    "denial": """
        A21     admit.tx_begun#2        nothing
        A21     admit.decided#2         nothing
        A21     store.written#2         nothing
        A23     store.committed#2       denied
        A23     admit.committed#2       denied
        """,
    "approval": """
        B1      decide.before_tx        pending_approval
        B2      decide.vote_inserted    pending_approval
        B3      decide.quorum_reached   pending_approval
        B3      store.written           pending_approval
        B5      store.committed         queued
        B5      decide.committed        queued
        """,
    "late approval": """
        B12     store.committed         pending_approval
        B12     decide.facts_read       pending_approval
        B12     store.written#2         pending_approval
        B5      store.committed#2       queued
        """,
    "less": """
        B13     decide.vote_inserted    pending_approval
        B13     decide.quorum_reached   pending_approval
        B13     store.written           pending_approval
        B13     store.committed         queued
        """,
    "question": """
        B2      decide.quorum_reached   pending_approval
        B5      store.committed         pending_approval
        B2      answer.saved            pending_approval
        B5      store.committed#2       pending_approval
        B5      answer.committed        pending_approval
        """,
    "second thoughts": """
        B3      take_back.saved         queued
        B3      store.written           queued
        B5      store.committed         pending_approval
        B5      take_back.committed     pending_approval
        """,
    "rejection": """
        B2      decide.vote_inserted    pending_approval
        B3      decide.quorum_reached   pending_approval
        B3      store.written           pending_approval
        B5      decide.committed        rejected
        """,
    "cancellation": """
        B9      cancel.before_tx        queued
        B9      cancel.carried          queued
        B9      store.written           queued
        B9      store.committed         canceled
        B9      cancel.committed        canceled
        """,
    "wish": """
        A20     cancel.before_tx        unknown
        A20     cancel.carried          unknown
        A20     cancel.committed        unknown
        """,
    "expiry": """
        B16     expire.released         pending_approval
        B16     store.written           pending_approval
        B16     store.committed         expired
        """,
    "notice": """
        B14     expire.noted            pending_approval
        B14     store.committed         pending_approval
        """,
    "relay": """
        C1      relay.row_read          queued
        C2      relay.before_enqueue    queued
        C4      relay.enqueued          queued
        C4      relay.before_commit     queued
        """,
    "job": """
        C13     job.started             queued
        D1      claim.before_tx         queued
        D4      claim.committed         dispatching
        D11     gate.passed             dispatching
        E4      provider.sent           dispatching   unknown
        E7      evidence.before_tx      dispatching
        C8      evidence.committed      succeeded
        """,
    "dispatch": """
        D1      claim.before_tx         queued
        D2      claim.before_commit     queued
        D2      store.written           queued
        D4      store.committed         dispatching
        D4      claim.committed         dispatching
        D11     gate.passed             dispatching
        E4      provider.sent           dispatching   unknown
        E5,E7   provider.replied        dispatching   unknown
        F1      evidence.before_tx      dispatching
        F2      evidence.stored         dispatching
        F2      fold.counters_moved     dispatching
        F2      fold.before_commit      dispatching
        F2      store.written#2         dispatching
        F3      store.committed#2       succeeded
        F3      evidence.committed      succeeded
        """,
    "doubt": """
        E4      provider.sent           dispatching   unknown
        F1      evidence.before_tx      dispatching
        F2      evidence.stored         dispatching
        F2      fold.counters_moved     dispatching
        F2      store.written#2         dispatching
        F3      store.committed#2       unknown
        """,
    "refusal": """
        E16     provider.sent           dispatching   unknown
        E16     provider.replied        dispatching   unknown
        E16     evidence.before_tx      dispatching
        F2      evidence.stored         dispatching
        F2      fold.counters_moved     dispatching
        F2      store.written#2         dispatching
        F3      store.committed#2       failed
        """,
    "closed gate": """
        D7      gate.closed             dispatching
        D7      evidence.stored         dispatching
        D7      fold.counters_moved     dispatching
        D7      store.written           dispatching
        D7      store.committed         queued
        D7      evidence.committed      queued
        """,
    "sweep": """
        G1      sweep.lease_found       dispatching
        G1      sweep.before_commit     dispatching
        G1      store.written           dispatching
        G1      store.committed         unknown
        C5      sweep.overdue_found     unknown
        """,
    "replay": """
        G4      recover.before_tx       unknown
        G4      store.written#2         unknown
        G4      store.committed#2       dispatching
        G4      recover.planned         dispatching
        G4      gate.passed             dispatching
        G4      provider.sent           dispatching   unknown
        G4      provider.replied        dispatching   unknown
        G4      evidence.stored         dispatching
        G4      fold.counters_moved     dispatching
        G4      fold.before_commit      dispatching
        G4      evidence.committed      succeeded
        """,
    "webhook": """
        H1      hook.verified           unknown
        H1      inbox.written           unknown
        H3      inbox.committed         unknown
        H3      hook.stored             unknown
        """,
    "inbox": """
        H4      inbox.written           unknown
        H4      inbox.committed         unknown
        H4      inbox.taken             unknown
        H4      provider.sent           unknown
        H4      inbox.looked            unknown
        H4      evidence.stored         unknown
        H4      fold.counters_moved     unknown
        H4      store.written           unknown
        H4      store.committed         succeeded
        H4      inbox.booked            succeeded
        H4      inbox.written#2         succeeded
        H4      inbox.committed#2       succeeded
        """,
    "walk": """
        H7      inbox.committed         queued
        H7      walk.events_listed      queued
        H7      inbox.written#2         queued
        H7      walk.events_kept        queued
        H7      inbox.committed#3       queued
        G12     walk.refunds_listed     queued
        H10     external.booked         queued
        H10     store.written           queued
        H10     store.committed         queued
        G12     walk.refunds_booked     queued
        G12     inbox.committed#5       queued
        """,
    "resolution": """
        G10     resolve.before_tx       unknown
        G10     resolve.proposed        unknown
        G10     evidence.stored         unknown
        G10     fold.counters_moved     unknown
        G10     store.written           unknown
        G10     store.committed         failed
        G10     resolve.committed       failed
        """,
    "telling": """
        B14     tell.written            queued
        B14     tell.committed          queued
        K4      deliver.claimed         queued
        K4      deliver.carried         queued
        K4      deliver.recorded        queued
        """,
    "limit": """
        I1      limit.counted           queued
        I1      store.written           queued
        I1      store.committed         queued
        """,
    "confirmation": """
        I1      limit.confirmed         queued
        I1      store.written           queued
        I1      store.committed         queued
        """,
    "read": """
        G4      recover.before_tx       unknown
        G4      recover.planned         unknown
        G4      provider.sent           unknown
        G4      recover.read            unknown
        F2      evidence.stored         unknown
        F2      fold.counters_moved     unknown
        F2      store.written#3         unknown
        F3      store.committed#3       succeeded
        """,
}
