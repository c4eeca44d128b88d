"""The demonstration tool calculator: arithmetic only, exact with whole numbers, bounded in time and size."""

from __future__ import annotations

import ast
import importlib
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from workbench.errors import ToolError
from workbench.tools.base import Plan, Result, ToolContext
from workbench.tools.definitions import UnplannedTool
from workbench.tools.file_targets import in_thread

MAX_CHARACTERS = 1_000
MAX_POWER = 10_000
MAX_FACTORIAL = 2_000
MAX_DIGITS = 4_300
"""More is also more than Python turns into text."""

_MAX_INTERMEDIATE_BITS = 400_000
_ALLOWED_NODES = (ast.Expr, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.keyword, ast.Name)
_SAME_SIGNS = str.maketrans("×÷−·（），", "*/-*(),")


class CalculatorTool(UnplannedTool):
    """Evaluates one expression."""

    def __init__(self) -> None:
        super().__init__("calculator", "none")

    async def apply(self, plan: Plan, context: ToolContext) -> Result:  # noqa: ARG002
        """Evaluate.

        Raises:
            ToolError: ``bad_expression``, ``result_too_large``.
        """
        text = await in_thread(evaluate, str(plan.arguments["expression"]))
        return Result(text=text, facts=text if len(text) <= 40 else f"{len(text)} characters")


def evaluate(expression: str) -> str:
    """Return the value of an arithmetic expression as text: whole numbers exactly, others with up to 15 digits.

    Raises:
        ToolError: it is no arithmetic (``bad_expression``), or more than 4300 digits (``result_too_large``).
    """
    if len(expression) > MAX_CHARACTERS:
        raise _bad(f"it has {len(expression)} characters; {MAX_CHARACTERS} is the most")
    expression = expression.strip().translate(_SAME_SIGNS)
    if "^" in expression:
        raise _bad("'^' is not a power here", "Use ** for powers.")
    if re.search(r"(?<![=!<>])=(?!=)", expression):
        raise _bad("it has an '='", "Give only the expression; use == to compare.")
    return _text(_value(expression))


def _value(expression: str) -> Any:
    simpleeval = importlib.import_module("simpleeval")
    evaluator = simpleeval.SimpleEval(operators=_operators(simpleeval), functions=dict(_FUNCTIONS), names={"pi": math.pi, "e": math.e})
    evaluator.nodes = {kind: how for kind, how in evaluator.nodes.items() if kind in _ALLOWED_NODES}
    evaluator.nodes[ast.Constant] = lambda node: _number(node.value)
    try:
        return evaluator.eval(expression, ast.parse(expression, mode="eval").body)
    except ToolError:
        raise
    except (ZeroDivisionError, ValueError) as error:
        raise _bad(str(error)) from None
    except OverflowError:
        raise _too_large() from None
    except KeyError:  # what simpleeval does with a comparison that it has no operator for
        raise _bad("it compares in a way that is not arithmetic") from None
    except (simpleeval.InvalidExpression, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise _bad(_reason(error)) from None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value.bit_length() * math.log10(2) > MAX_DIGITS - 1 and abs(value) >= 10**MAX_DIGITS:
            raise _too_large()
        return str(value)
    if isinstance(value, float):
        if math.isinf(value):
            raise _too_large()
        if math.isnan(value):
            raise _bad("the value is not a number")
        return f"{value:.15g}"
    if isinstance(value, complex):
        raise _bad("the value is not a real number")
    raise _bad("it does not give a number")


def _operators(simpleeval: Any) -> dict[type[ast.AST], Callable[..., Any]]:
    """Return the operators of arithmetic; whatever can grow is measured at each step."""
    return {
        ast.Add: _measured(operator.add),
        ast.Sub: _measured(operator.sub),
        ast.Mult: _measured(operator.mul),
        ast.Div: operator.truediv,
        ast.FloorDiv: operator.floordiv,
        ast.Mod: operator.mod,
        ast.Pow: _power,
        **{kind: simpleeval.DEFAULT_OPERATORS[kind] for kind in (ast.Eq, ast.NotEq, ast.Gt, ast.Lt, ast.GtE, ast.LtE, ast.Not, ast.USub, ast.UAdd)},
    }


def _measured(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def measured(left: Any, right: Any) -> Any:
        value = operation(_number(left), _number(right))
        if isinstance(value, int) and value.bit_length() > _MAX_INTERMEDIATE_BITS:
            raise _too_large()
        return value

    return measured


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and _is_huge(base, exponent):
        raise _too_large()
    return _number(base) ** _number(exponent)


def _is_huge(base: int, exponent: int) -> bool:
    return base not in (0, 1, -1) and (abs(exponent) > MAX_POWER or base.bit_length() * abs(exponent) > 2 * _MAX_INTERMEDIATE_BITS)


def _factorial(number: Any) -> int:
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if not isinstance(number, int) or number < 0:
        raise _bad("factorial takes a whole number from 0 on")
    if number > MAX_FACTORIAL:
        raise _too_large()
    return math.factorial(number)


def _round(number: Any, digits: int = 0) -> Any:
    if isinstance(digits, bool) or not isinstance(digits, int) or abs(digits) > MAX_DIGITS:
        raise _bad("round takes a number of digits up to 4300")
    return round(number, digits) if digits else round(number)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "log": math.log,
    "exp": math.exp,
    "abs": abs,
    "round": _round,
    "min": min,
    "max": max,
    "floor": math.floor,
    "ceil": math.ceil,
    "factorial": _factorial,
}


def _number(value: Any) -> Any:
    if not isinstance(value, int | float | complex):
        raise _bad("it holds something that is no number")
    return value


def _reason(error: BaseException) -> str:
    text = str(error.msg if isinstance(error, SyntaxError) else error).strip().rstrip(".") or "it cannot be read"
    return text[:200]


def _bad(reason: str, advice: str = "Use numbers, + - * / // % **, parentheses, comparisons and the functions named in the description.") -> ToolError:
    return ToolError("bad_expression", f"The expression cannot be evaluated: {reason}.", advice)


def _too_large() -> ToolError:
    problem = f"The result, or a step on the way to it, has more than {MAX_DIGITS} digits."
    return ToolError("result_too_large", problem, "Use smaller numbers, or floating point (10.0**300).")
