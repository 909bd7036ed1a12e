from datetime import UTC, datetime

import pytest
from cryptography.exceptions import InvalidTag

from adapters.passwords import Argon2Passwords, TotpCodes
from governor.domain.people import Person

PEPPER = b"a pepper of tests, of tests, of tests"
PERSON = Person("usr_1", "ada", "Ada", datetime(2026, 3, 1, tzinfo=UTC))


def test_a_password_opens_what_is_kept_of_it_and_nothing_else() -> None:
    passwords = Argon2Passwords(PEPPER)
    kept = passwords.keep("a long walk to Wednesday")
    assert passwords.match("a long walk to Wednesday", kept)
    for other in (
        "",
        "a long walk to wednesday",
        "a long walk to Wednesday ",
        "a long walk to Wednesday\x00",
    ):
        assert not passwords.match(other, kept)
    assert kept != passwords.keep("a long walk to Wednesday")
    assert not passwords.outdated(kept)
    assert passwords.outdated(kept.replace("m=19456", "m=8192"))


def test_what_is_kept_opens_nothing_without_the_pepper() -> None:
    kept = Argon2Passwords(PEPPER).keep("a long walk to Wednesday")
    assert not Argon2Passwords(b"another pepper").match("a long walk to Wednesday", kept)


def test_what_looks_the_same_is_the_same_password() -> None:
    passwords = Argon2Passwords(PEPPER)
    composed, decomposed = "caf\u00e9 caf\u00e9 caf\u00e9", "cafe\u0301 cafe\u0301 cafe\u0301"
    assert passwords.match(decomposed, passwords.keep(composed))


def test_nobody_has_a_password_that_opens_nothing() -> None:
    passwords = Argon2Passwords(PEPPER)
    for typed in ("", "a long walk to Wednesday"):
        assert not passwords.match(typed, None)
    kept, of_nobody = passwords.keep("a long walk to Wednesday"), passwords._nobody
    assert (len(of_nobody), of_nobody.rsplit("$", 2)[0]) == (len(kept), kept.rsplit("$", 2)[0])
    assert of_nobody != Argon2Passwords(PEPPER)._nobody


def test_a_secret_is_sealed_for_one_person_and_one_pepper() -> None:
    codes = TotpCodes(PEPPER)
    sealed = codes.new_secret("usr_1")
    assert sealed != codes.new_secret("usr_1")
    assert codes.address(sealed, PERSON).startswith("otpauth://totp/governor:ada?")
    with pytest.raises(InvalidTag):
        codes.step_of("123456", sealed, "usr_2", [1])
    with pytest.raises(InvalidTag):
        TotpCodes(b"another pepper").address(sealed, PERSON)


def test_recovery_codes_differ_and_are_easy_to_type() -> None:
    codes = TotpCodes(PEPPER).new_recovery()
    assert len(set(codes)) == 10
    assert all(len(code) == 10 and code.isalnum() and not set(code) & set("01ilo") for code in codes)
    assert all(code[0].isalpha() for code in codes)
