from governor.http.quota import MOST_REMEMBERED, Quota


class Watch:
    """Monotonic seconds, as a test moves them."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_key_has_a_minutes_calls_at_once_and_then_waits_for_each() -> None:
    watch = Watch()
    quota = Quota(3, watch)
    taken = [quota.take("one") for _ in range(4)]
    assert [(one.remaining, one.full_in_seconds, one.wait_seconds) for one in taken] == [
        (2, 20, 0),
        (1, 40, 0),
        (0, 60, 0),
        (0, 60, 20),
    ]
    watch.now += 19.9
    assert quota.take("one").wait_seconds == 1, "what was refused was not counted"
    watch.now += 0.2
    assert (quota.take("one").wait_seconds, quota.take("one").wait_seconds) == (0, 20)


def test_keys_do_not_take_from_one_another_and_no_bucket_is_more_than_full() -> None:
    watch = Watch()
    quota = Quota(2, watch)
    assert [quota.take("one").wait_seconds for _ in range(3)] == [0, 0, 30]
    assert quota.take("other").remaining == 1
    watch.now += 3600
    assert quota.take("one").remaining == 1


def test_what_a_client_is_told() -> None:
    assert Quota(120, Watch()).take("one").headers == {
        "RateLimit-Policy": '"key";q=120;w=60',
        "RateLimit": '"key";r=119;t=1',
    }


def test_keys_without_number_are_not_remembered_for_ever_and_an_empty_bucket_stays_empty() -> None:
    watch = Watch()
    quota = Quota(1, watch)
    for number in range(MOST_REMEMBERED - 1):
        quota.take(f"key {number}")
    watch.now += 59
    quota.take("spent")
    watch.now += 1
    quota.take("one more")
    assert len(quota._buckets) == 2
    assert quota.take("spent").wait_seconds == 59
