"""Redaction: secrets go, by place and by value; everything else stays as it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.redaction.marks import fingerprint as mask
from workbench.wire.redaction import SECRET_HEADERS, SECRET_QUERY, redact_headers, redact_url

KEY = "sk-test-0123456789abcdef"


def test_headers_that_carry_keys_are_masked_in_any_case() -> None:
    for name in SECRET_HEADERS:
        pairs = ((name, KEY), (name.upper(), KEY), (name.title(), KEY))
        assert redact_headers(pairs, ()) == tuple((name, mask(KEY)) for name, _ in pairs)


def test_headers_of_other_servers_are_masked_by_their_words() -> None:
    for name in ("X-Gateway-Secret", "CF-Access-Client-Secret", "Session-Token", "X-Company-Api-Key", "apikey", "Proxy-Auth", "X-Auth-Request"):
        assert redact_headers([(name, KEY)], ()) == ((name, mask(KEY)),)
    counts = [("x-ratelimit-remaining-tokens", "12"), ("anthropic-ratelimit-tokens-limit", "9"), ("Idempotency-Key", "a-1"), ("X-Author", "me")]
    assert redact_headers(counts, ()) == tuple(counts)


def test_scheme_of_an_authorization_stays_readable() -> None:
    assert redact_headers([("Authorization", f"Bearer {KEY}")], ()) == (("Authorization", f"Bearer {mask(KEY)}"),)
    assert redact_headers([("Authorization", "Basic dTpw")], ()) == (("Authorization", f"Basic {mask('dTpw')}"),)
    assert redact_headers([("Authorization", KEY)], ()) == (("Authorization", mask(KEY)),)


def test_mask_tells_length_and_fingerprint_and_nothing_else() -> None:
    assert mask("abc") == "REDACTED-3-ba7816bf"
    assert mask(KEY) != mask(KEY + "0")


def test_known_secret_is_found_in_any_header() -> None:
    pairs = [("X-Custom", f"a {KEY} b"), ("X-Other", "short")]
    assert redact_headers(pairs, [KEY, "", "sho"]) == (("X-Custom", f"a {mask(KEY)} b"), ("X-Other", "short"))


def test_secret_that_contains_another_goes_as_a_whole() -> None:
    assert redact_headers([("X", KEY)], [KEY[:8], KEY]) == (("X", mask(KEY)),)


def test_order_names_and_repetitions_stay() -> None:
    pairs = (("B", "1"), ("a", "2"), ("B", "1"), ("Content-Type", "text/plain; charset=utf-8"), ("Empty", ""), ("Authorization", ""))
    assert redact_headers(pairs, ()) == pairs


def test_address_in_a_header_is_redacted_too() -> None:
    assert redact_headers([("Location", f"https://a.test/x?key={KEY}&b=1")], ()) == (("Location", f"https://a.test/x?key={mask(KEY)}&b=1"),)


def test_query_fields_that_carry_keys_are_masked() -> None:
    for name in SECRET_QUERY:
        assert redact_url(f"https://h/p?a=1&{name}={KEY}&b=%2F#t") == f"https://h/p?a=1&{name}={mask(KEY)}&b=%2F#t"
    assert redact_url(f"https://h/p?%6Bey={KEY}") == f"https://h/p?%6Bey={mask(KEY)}"
    assert redact_url(f"https://h/p#access_token={KEY}") == f"https://h/p#access_token={mask(KEY)}"


def test_addresses_without_secrets_stay_to_the_letter() -> None:
    for url in ("https://h/v1beta/models/m:generateContent?alt=sse", "http://[::1]:80/a@b?monkey=1&keys=2", "/p?x=%zz&y", "", "key=1"):
        assert redact_url(url) == url


def test_user_information_is_masked() -> None:
    assert redact_url("http://user:pass@h:1/p@q") == f"http://{mask('user:pass')}@h:1/p@q"


def test_known_secret_is_found_in_an_address_however_it_is_spelled() -> None:
    secret = "a b/c+d&e"  # noqa: S105
    for spelling in ("a%20b/c%2Bd%26e", "a+b%2Fc%2Bd%26e", "a%20b%2Fc%2Bd%26e", secret):
        assert redact_url(f"https://h/{spelling}/x", [secret]) == f"https://h/{mask(secret)}/x"


@given(st.text("äöü!?", min_size=4), st.sampled_from(sorted(SECRET_HEADERS)), st.text(), st.text())
def test_secret_never_survives(secret: str, name: str, before: str, after: str) -> None:
    ((_, value), (_, other)) = redact_headers([("X", before + secret + after), (name, secret)], [secret])
    assert secret not in value
    assert other == mask(secret)
