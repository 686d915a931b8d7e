"""Small faults for measuring the tests: all are found, none in what is no code, each changes what it says."""

import ast
import sys

from benchmarks.mutants import Planter, faults

SOURCE = '''"""Text, 1."""
LIMIT: int = 3

class Rule:
    examples = (1, 2)

def small(n: int = 0) -> bool:
    """Text."""
    print(n)
    return not n and n < LIMIT
'''


def changed(number):
    tree = ast.parse(SOURCE)
    fault = list(faults(tree))[number]
    fault.put()
    return fault.line, fault.what, ast.unparse(tree)


def test_faults_are_put_where_code_is():
    found = [changed(number) for number, _ in enumerate(faults(ast.parse(SOURCE)))]
    assert [(line, what) for line, what, _ in found] == [
        (2, "3 → 4"),
        (2, "3 → 2"),
        (7, "0 → 1"),
        (7, "0 → -1"),
        (9, "statement dropped"),
        (10, "return None"),
        (10, "And → Or"),
        (10, "not dropped"),
        (10, "Lt → LtE"),
    ]
    assert len({text for _, _, text in found}) == len(found)
    assert "return not n or n < LIMIT" in found[6][2]


def test_a_module_is_imported_with_its_fault(tmp_path, monkeypatch):
    path = tmp_path / "faulty.py"
    path.write_text(SOURCE)
    monkeypatch.delitem(sys.modules, "faulty", raising=False)
    for number, limit in ((0, 4), (99, 3)):
        monkeypatch.setattr(sys, "meta_path", [Planter("faulty", str(path), number), *sys.meta_path])
        assert limit == __import__("faulty").LIMIT
        del sys.modules["faulty"]
    assert path.read_text() == SOURCE
