"""Processes that work on tasks, one at a time each; one that dies takes nothing but its own task along."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess, parent_process
from types import FrameType
from typing import Any, Generic, TypeVar

from msgspec import Struct

GRACE = 2.0
"""Seconds that workers have, after an interrupt, to hand over what they found."""

TICK = 0.5
"""Seconds after which the parent looks up: an interrupt that comes just before it waits wakes nothing."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class Lost(Struct, frozen=True):
    """A task whose worker died: `why` says how, in words."""

    why: str


class _Worker(Struct, eq=False):
    process: BaseProcess
    link: Connection
    task: int


class Crew(Generic[Task, Result]):
    """At most `number` processes that run `work` on the tasks, in the order given.

    `done` gets the number of each task and its result, or `Lost`, as they come. An interrupt is handed to the workers,
    whose `work` should turn KeyboardInterrupt into a result of what it has so far; it is raised again when `done` has
    got all of these.
    """

    def __init__(
        self, tasks: Sequence[Task], work: Callable[[Task], Result], done: Callable[[int, Result | Lost], None]
    ) -> None:
        self._tasks = tasks
        self._work = work
        self._done = done
        self._next = iter(range(len(tasks)))
        self._busy: list[_Worker] = []

    def run(self, number: int) -> None:
        """Run all tasks to their end. Raises KeyboardInterrupt, and OSError when no process can be started."""
        try:
            for _ in range(number):
                self._hire()
            while self._busy:
                for worker, result in self._hear(TICK):
                    self._go_on(worker, result)
        except KeyboardInterrupt:
            self._stop()
            raise
        finally:
            for worker in self._busy:
                worker.process.kill()

    def _hire(self) -> None:
        if (task := next(self._next, None)) is None:
            return
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(target=_serve, args=(theirs, self._work), daemon=True)
        with _undisturbed():
            process.start()
        theirs.close()
        worker = _Worker(process, ours, task)
        self._busy.append(worker)
        _send(worker.link, self._tasks[task])

    def _hear(self, seconds: float) -> Iterator[tuple[_Worker, Result | Lost]]:
        """What the workers hand over within so many seconds; one that is dead leaves the crew."""
        ready = wait([worker.link for worker in self._busy], seconds)
        for worker in [worker for worker in self._busy if worker.link in ready]:
            try:
                yield worker, worker.link.recv()
            except (EOFError, OSError):
                self._busy.remove(worker)
                worker.process.join()
                yield worker, Lost(_end(worker.process.exitcode))

    def _go_on(self, worker: _Worker, result: Result | Lost) -> None:
        self._done(worker.task, result)
        if worker not in self._busy:
            self._hire()
        elif (task := next(self._next, None)) is None:
            self._busy.remove(worker)
            worker.link.close()
        else:
            worker.task = task
            _send(worker.link, self._tasks[task])

    def _stop(self) -> None:
        """Ask every worker for what it has so far. One that dies has nothing, and is not told."""
        end = time.monotonic() + GRACE
        for worker in self._busy:
            worker.process.terminate()
        while self._busy and (left := end - time.monotonic()) > 0:
            for worker, result in self._hear(left):
                if worker in self._busy:
                    self._busy.remove(worker)
                    self._done(worker.task, result)


def _send(link: Connection, task: Any) -> None:
    try:
        link.send(task)
    except OSError:
        return  # it died: the next thing heard of it is the end of its link


def _serve(link: Connection, work: Callable[[Any], Any]) -> None:
    """What a worker does: take a task, work, hand over, until the link or the parent is gone."""
    handing = False

    def stop(number: int, frame: FrameType | None) -> None:
        if not handing:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it and decides
    signal.signal(signal.SIGTERM, stop)
    parent = parent_process()
    ends = [parent.sentinel] if parent is not None else []
    try:
        while link in wait([link, *ends]):
            result = work(link.recv())
            handing = True
            link.send(result)
            handing = False
    except (EOFError, OSError, KeyboardInterrupt):
        return


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold interrupts back, so that none reaches a new process before it can deal with it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(status: int | None) -> str:
    if status is not None and status < 0:
        try:
            return f"was killed ({signal.Signals(-status).name})"
        except ValueError:
            return f"was killed (signal {-status})"
    return f"ended with status {status}"
