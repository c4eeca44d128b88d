"""Arithmetic and nothing else, exact, and never for long."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.tools.searching import run_tool, search_context
from workbench.errors import ToolError
from workbench.tools.calculator import CalculatorTool, evaluate


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("365 * 24", "8760"),
        ("(3 + 5) * 2", "16"),
        ("（3 + 5）× 2", "16"),
        ("1/3", "0.333333333333333"),
        ("4/2", "2"),
        ("0.1+0.2", "0.3"),
        ("7//2", "3"),
        ("-7 % 3", "2"),
        ("2**100", str(2**100)),
        ("2**-1", "0.5"),
        ("factorial(1500)/factorial(1498)", "2248500"),
        ("factorial(5.0)", "120"),
        ("sqrt(2)", "1.4142135623731"),
        ("log(100, 10)", "2"),
        ("round(2.345, 2)", "2.35"),
        ("max(1, 2, 3) - min(4, 5)", "-1"),
        ("floor(2.7) + ceil(2.1)", "5"),
        ("2*pi", "6.28318530717959"),
        ("1 < 2 < 3", "true"),
        ("not 1 == 1", "false"),
        ("10**4299", str(10**4299)),
        ("-(10**4299)", str(-(10**4299))),
    ],
)
def test_values(expression: str, value: str) -> None:
    assert evaluate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "", "1 +", "2^3", "1/0", "3 % 0", "(-8)**0.5", "sqrt(-1)", "log(0)", "x", "abs", "'a'", "'a' * 3", "'a' == 'a'", "f'{1}'", "[1, 2]", "(1).real",
        "[1][0]", "lambda: 1", "1; 2", "a = 3", "min()", "__import__('os')", "open('/etc/passwd')", "1 & 2", "1 << 2", "1 in 2", "factorial(-1)",
        "factorial(2.5)", "round(1, 10**9)", "1" * 1001, "(" * 300 + "1" + ")" * 300, "1j", "0*1e400", "None",
    ],
)  # fmt: skip
def test_what_is_no_arithmetic_is_refused(expression: str) -> None:
    with pytest.raises(ToolError) as refused:
        evaluate(expression)
    assert refused.value.kind == "bad_expression"


@pytest.mark.parametrize(
    "expression",
    [
        "99**4000000", "9**9**9", "factorial(2000)", "factorial(2001)", "10**4300", "1e400", "10.0**400", "1e308*10", "exp(1000)", "2**(10**30)",
        "*".join(["9999**9999"] * 60),
    ],
)  # fmt: skip
def test_what_is_too_large_is_refused_quickly(expression: str) -> None:
    started = time.monotonic()
    with pytest.raises(ToolError) as refused:
        evaluate(expression)
    assert refused.value.kind == "result_too_large"
    assert time.monotonic() - started < 1


def test_power_sign_of_others_is_explained() -> None:
    with pytest.raises(ToolError) as refused:
        evaluate("2^3")
    assert refused.value.advice == "Use ** for powers."


async def test_tool(tmp_path: Path) -> None:
    result = await run_tool(CalculatorTool(), search_context(tmp_path), expression="365 * 24")
    assert (result.status, result.text, result.facts) == ("ok", "8760", "8760")
