/* Two refund requests that compete for the room of one, as a Spin model: claims, calls, replies, lost leases,
 * a provider that keeps its answers under a key for a day, and the books.
 *
 * Every change of a state is written as MOVE(request, from, event, to): tests/model/test_spin.py holds each of
 * them to governor/domain/lifecycle.py. Each rule that protects the money can be switched off with -D, and Spin
 * must then find the harm: OFF_ONE_STEP, OFF_HOLD_IN_DOUBT, OFF_ONE_KEY, OFF_ALL_ATTEMPTS, OFF_ABSENCE_WAITS,
 * OFF_YOUNG_ONLY.
 */
#define REQUESTS 2
#define ATTEMPTS 2
#ifndef FAULTS
#define FAULTS 2
#endif

mtype = { NEW, DENIED, QUEUED, DISPATCHING, UNKNOWN, SUCCEEDED, FAILED, CANCELED };
mtype = { nothing, accepted, refused, refused_and_kept };

mtype state[REQUESTS] = NEW;
mtype kept[REQUESTS] = nothing;     /* what the provider answers again under the key */
byte taken;                         /* requests that hold or have settled room */
byte made[REQUESTS];                /* refunds that exist */
byte attempts[REQUESTS];
byte disproved[REQUESTS];           /* attempts proven not executed */
byte calls[REQUESTS];               /* calls that can still arrive */
bool old[REQUESTS];                 /* the provider may have forgotten the key */
bool wished[REQUESTS];              /* nobody wants it any more */
byte faults;

#define HOLDS(r) (state[r] == QUEUED || state[r] == DISPATCHING || state[r] == UNKNOWN)
#define SETTLED(r) (state[r] == SUCCEEDED)
#define MOVE(r, from, event, to) assert(state[r] == from); state[r] = to

inline judge() {
    assert(taken <= 1);
    assert(taken == HOLDS(0) + HOLDS(1) + SETTLED(0) + SETTLED(1));
    assert(made[0] <= 1 && made[1] <= 1);
    assert(made[0] == 0 || HOLDS(0) || SETTLED(0));
    assert(made[1] == 0 || HOLDS(1) || SETTLED(1));
    assert(made[0] == 1 || !SETTLED(0));
    assert(made[1] == 1 || !SETTLED(1))
}

/* What all evidence proves once `answer` to one attempt is known. */
inline fold(r, answer) {
    if
    :: answer == accepted ->
        if
        :: state[r] == DISPATCHING -> MOVE(r, DISPATCHING, PROVE_SUCCEEDED, SUCCEEDED)
        :: state[r] == UNKNOWN -> MOVE(r, UNKNOWN, PROVE_SUCCEEDED, SUCCEEDED)
        :: state[r] == FAILED -> MOVE(r, FAILED, PROVE_SUCCEEDED, SUCCEEDED); taken++
        :: state[r] == CANCELED -> MOVE(r, CANCELED, PROVE_SUCCEEDED, SUCCEEDED); taken++
        :: else
        fi
    :: else ->
        disproved[r]++;
        if
#ifdef OFF_ALL_ATTEMPTS
        :: HOLDS(r) ->
#else
        :: HOLDS(r) && (answer == refused_and_kept || disproved[r] == attempts[r]) ->
#endif
            if
            :: state[r] == DISPATCHING -> MOVE(r, DISPATCHING, PROVE_REJECTED, FAILED)
            :: state[r] == UNKNOWN -> MOVE(r, UNKNOWN, PROVE_REJECTED, FAILED)
            fi;
            taken--
        :: else
        fi
    fi
}

proctype Client(byte r) {
#ifdef OFF_ONE_STEP
    if
    :: taken < 1 -> atomic { state[r] = QUEUED; taken++; judge() }
    :: taken >= 1 -> state[r] = DENIED
    fi;
#else
    atomic { if :: taken < 1 -> state[r] = QUEUED; taken++ :: else -> state[r] = DENIED fi; judge() }
#endif
    if
    :: atomic { state[r] == QUEUED -> MOVE(r, QUEUED, CANCEL, CANCELED); taken--; judge() }
    :: atomic { state[r] == DISPATCHING || state[r] == UNKNOWN -> wished[r] = true }
    :: true
    fi
}

/* One attempt: claimed, sent at once, and perhaps heard of; its worker may die at any point. */
proctype Attempt(byte r) {
    mtype answer = nothing;
    bool heard = true;
    if
    :: atomic { faults < FAULTS -> faults++; calls[r]--; heard = false }   /* the call is lost */
    :: atomic { true ->                                                  /* it arrives, whenever that is */
        calls[r]--;
        if
#ifdef OFF_ONE_KEY
        :: made[r]++; answer = accepted
#else
        :: kept[r] != nothing -> answer = kept[r]
        :: kept[r] == nothing -> made[r]++; kept[r] = accepted; answer = accepted
        :: kept[r] == nothing -> kept[r] = refused_and_kept; answer = refused_and_kept
#endif
        :: kept[r] == nothing -> answer = refused
        fi;
        judge() }
    fi;
    if
    :: atomic { heard -> fold(r, answer); judge() }
    :: atomic { !heard || faults < FAULTS ->                             /* nobody hears of it in time */
        faults = (heard -> faults + 1 : faults);
        if
#ifdef OFF_HOLD_IN_DOUBT
        :: state[r] == DISPATCHING -> MOVE(r, DISPATCHING, PROVE_REJECTED, FAILED); taken--
#else
        :: state[r] == DISPATCHING -> MOVE(r, DISPATCHING, PROVE_IN_DOUBT, UNKNOWN)
#endif
        :: else
        fi;
        judge() }
    fi
}

proctype Governor(byte r) {
end:
    do
    :: atomic { state[r] == QUEUED && attempts[r] < ATTEMPTS ->
        MOVE(r, QUEUED, CLAIM, DISPATCHING); attempts[r]++; calls[r]++; run Attempt(r) }
#ifdef OFF_YOUNG_ONLY
    :: atomic { state[r] == UNKNOWN && attempts[r] < ATTEMPTS && !wished[r] ->
#else
    :: atomic { state[r] == UNKNOWN && attempts[r] < ATTEMPTS && !wished[r] && !old[r] ->
#endif
        MOVE(r, UNKNOWN, CLAIM, DISPATCHING); attempts[r]++; calls[r]++; run Attempt(r) }
    :: atomic { state[r] == DISPATCHING -> MOVE(r, DISPATCHING, LEASE_LOST, UNKNOWN) }   /* at any time */
    :: atomic { made[r] == 1 && !SETTLED(r) -> fold(r, accepted); judge() }          /* a webhook, or a read */
#ifdef OFF_ABSENCE_WAITS
    :: atomic { state[r] == UNKNOWN && made[r] == 0 && wished[r] ->
#else
    :: atomic { state[r] == UNKNOWN && made[r] == 0 && wished[r] && calls[r] == 0 ->
#endif
        MOVE(r, UNKNOWN, PROVE_ABSENT, CANCELED); taken--; judge() }
    :: atomic { attempts[r] > 0 && calls[r] == 0 && !old[r] -> old[r] = true; kept[r] = nothing }   /* a day passes */
    /* Nothing is looked for any more: two people say how it ended. */
    :: atomic { state[r] == UNKNOWN && made[r] == 0 && calls[r] == 0 && (old[r] || attempts[r] == ATTEMPTS) ->
        MOVE(r, UNKNOWN, RESOLVE_FAILED, FAILED); taken--; judge() }
    od
}

init {
    atomic {
        run Governor(0); run Governor(1);
        run Client(0); run Client(1)
    }
    /* When nothing can happen any more, nobody is left waiting. */
    (timeout && !HOLDS(0) && !HOLDS(1))
}
