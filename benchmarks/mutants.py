"""Small faults for one module: where they can be put, and a run of tests with one of them in it.

    python -m benchmarks.mutants MODULE FILE NUMBER TESTS SECONDS

Nothing is written to the sources: the fault is put in while the module is imported. TESTS is a file of test ids, the
likeliest first; they run until one fails or SECONDS are over. Exits 0 when none failed, otherwise not.
"""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import NamedTuple

import pytest

_PAIRS = ((ast.Eq, ast.NotEq), (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Is, ast.IsNot), (ast.In, ast.NotIn))
SWAPS: dict[type, type] = {a: b for pair in (*_PAIRS, (ast.And, ast.Or)) for a, b in (pair, pair[::-1])}
DELETABLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise, ast.Continue, ast.Break)
UNTOUCHED = {"annotation", "returns", "decorator_list", "examples"}
"""Fields and class attributes without faults: types, and the examples of a rule, which are tests themselves."""


class Fault(NamedTuple):
    """One fault: the lines it is in, what it does, and `put`, which does it to the tree it was found in."""

    line: int
    last: int
    what: str
    put: Callable[[], object]


def faults(tree: ast.AST, inside: bool = False) -> Iterator[Fault]:
    """Every fault that can be put into a tree, in its order; `inside` a function, where statements may be dropped."""
    inside = inside or isinstance(tree, ast.FunctionDef | ast.Lambda)
    for name, value in ast.iter_fields(tree):
        if name in UNTOUCHED:
            continue
        children = value if isinstance(value, list) else [value]
        for at, node in enumerate(children):
            if not isinstance(node, ast.AST) or _is_text(node) or _assigned(node) in UNTOUCHED:
                continue
            if isinstance(node, ast.stmt | ast.expr):
                for what, new in _changes(node, inside):
                    whole = [*children[:at], new, *children[at + 1 :]] if isinstance(value, list) else new
                    yield Fault(node.lineno, node.end_lineno or node.lineno, what, partial(setattr, tree, name, whole))
            yield from faults(node, inside)


def _changes(node: ast.AST, inside: bool) -> Iterator[tuple[str, ast.AST]]:
    """What can stand in the place of a node, and how to call that."""
    match node:
        case ast.Compare(left, [operator, *others], values) if new := SWAPS.get(type(operator)):
            yield f"{type(operator).__name__} → {new.__name__}", ast.Compare(left, [new(), *others], values)
        case ast.BoolOp(operator, values):
            new = SWAPS[type(operator)]
            yield f"{type(operator).__name__} → {new.__name__}", ast.BoolOp(new(), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield "not dropped", operand
        case ast.Constant(bool() as value):
            yield f"{value} → {not value}", ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield f"{value} → {value + 1}", ast.Constant(value + 1)
            yield f"{value} → {value - 1}", ast.Constant(value - 1)
        case ast.Return(value) if value is not None and not (isinstance(value, ast.Constant) and not value.value):
            yield "return None", ast.Return(ast.Constant(None))
    if inside and isinstance(node, DELETABLE):
        yield "statement dropped", ast.Pass()


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _assigned(node: ast.AST) -> str:
    """The name that a statement gives a value to; empty where there is none."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else ""


class Planter(SourceFileLoader):
    """Finds and imports one module, with the fault of this number in it; with none when there are not as many."""

    def __init__(self, module: str, path: str, number: int) -> None:
        super().__init__(module, path)
        self.number = number

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Where to import a module from."""
        return spec_from_loader(name, self) if name == self.name else None

    def get_code(self, fullname: str) -> CodeType:
        """The code of the module with the fault in it."""
        tree = ast.parse(Path(self.path).read_bytes())
        for fault in list(faults(tree))[self.number : self.number + 1]:
            fault.put()
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


class Chosen:
    """A pytest plugin that runs the tests of these ids in this order, until the time is over."""

    def __init__(self, ids: Sequence[str], seconds: float) -> None:
        self.rank = {name: number for number, name in enumerate(ids)}
        self.end = time.monotonic() + seconds
        self.late = False

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.rank), key=lambda i: self.rank[i.nodeid])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        self.late = self.late or time.monotonic() > self.end
        return self.late or None


def main() -> int:
    """The command line."""
    module, file, number, tests, seconds = sys.argv[1:]
    sys.meta_path.insert(0, Planter(module, file, int(number)))
    ids = Path(tests).read_text().splitlines()
    files = dict.fromkeys(name.split("::")[0] for name in ids)
    options = ("-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:cov", "-p", "no:xdist")
    return int(pytest.main([*options, *files], plugins=[Chosen(ids, float(seconds))]))


if __name__ == "__main__":
    sys.exit(main())
