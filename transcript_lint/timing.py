"""How long each rule takes, for `--timings`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from transcript_lint.engine import Engine
from transcript_lint.rule import Outcomes, Rule
from transcript_lint.settings import Settings


class TimedEngine(Engine):
    """An engine that keeps, by rule id, the seconds spent in that rule's handlers."""

    def __init__(self, rules: Sequence[type[Rule]], settings: Settings | None = None, input: str = "") -> None:
        super().__init__(rules, settings, input)
        self.seconds: dict[str, float] = {}

    def _ask(self, handlers: Sequence[Callable[..., Outcomes | None]], *arguments: object) -> None:
        for handler in tuple(handlers):
            began = perf_counter()
            super()._ask((handler,), *arguments)
            rule: str = handler.__self__.id  # type: ignore[attr-defined]
            self.seconds[rule] = self.seconds.get(rule, 0.0) + perf_counter() - began
