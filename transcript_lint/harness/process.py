"""Run one child in its own process group, pass its output through, and know for certain how it ended."""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from msgspec import Struct

CHUNK = 1 << 16
DRAIN_SECONDS = 1.0
"""How long output is still waited for once the child is gone but a grandchild holds its pipes open."""
DRAIN_MOST = 5.0
"""The same for a grandchild that goes on writing, beyond the grace period."""


class Outcome(Struct, frozen=True, kw_only=True):
    """How a child ended. `returncode` as in subprocess (negative: a signal), None if it could not be started.

    `timed_out`: the deadline passed first. `interrupted`: the signal that this process got and passed on.
    `error` says why it did not start; `errno` is the system's number for that.
    """

    returncode: int | None
    duration_ms: int
    timed_out: bool = False
    interrupted: str | None = None
    error: str | None = None
    errno: int | None = None


class Child:
    """One run of one argument vector, no shell between."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None,
        timeout: float | None,
        grace: float,
        take: Callable[[str, bytes], None],
        forward_signals: bool,
    ) -> None:
        self.argv = list(argv)
        self.cwd = cwd
        self.timeout = timeout
        self.grace = grace
        self.take = take
        self.forward_signals = forward_signals
        self.interrupted: str | None = None
        self.timed_out = False
        self._kill_at: float | None = None

    def run(self) -> Outcome:
        """Start it, read it to its end, and see to it that nothing of its group outlives a deadline."""
        started = time.monotonic()
        try:
            process = subprocess.Popen(
                self.argv, cwd=self.cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
        except (OSError, ValueError) as error:
            number = getattr(error, "errno", None)
            return Outcome(returncode=None, duration_ms=_ms(started), error=str(error), errno=number)
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        waiter = threading.Thread(target=_wait, args=(process, wake_write), daemon=True)
        with self._signals(process, wake_write):
            waiter.start()
            ended = self._read(process, started, wake_read)
        waiter.join()
        os.close(wake_read)
        os.close(wake_write)
        return Outcome(
            returncode=process.returncode,
            duration_ms=round(((ended or time.monotonic()) - started) * 1000),
            timed_out=self.timed_out,
            interrupted=self.interrupted,
        )

    def _read(self, process: subprocess.Popen[bytes], started: float, wake: int) -> float | None:
        """Pass the pipes on until both are closed and the child is gone; returns when it was seen gone."""
        assert process.stdout is not None
        assert process.stderr is not None
        deadline = None if self.timeout is None else started + self.timeout
        ended: float | None = None
        with selectors.DefaultSelector() as selector, process.stdout, process.stderr:
            selector.register(process.stdout, selectors.EVENT_READ, "stdout")
            selector.register(process.stderr, selectors.EVENT_READ, "stderr")
            selector.register(wake, selectors.EVENT_READ, None)
            quiet_since = started
            while True:
                now = time.monotonic()
                if ended is None and process.returncode is not None:
                    ended = quiet_since = now
                if ended is not None and (len(selector.get_map()) == 1 or self._given_up(now, ended, quiet_since)):
                    break
                if deadline is not None and now >= deadline and ended is None and self._kill_at is None:
                    self.timed_out = True
                    self._end(process, signal.SIGTERM)
                if self._kill_at is not None and now >= self._kill_at:
                    _signal(process, signal.SIGKILL)
                    self._kill_at = math.inf
                for key, _ in selector.select(self._pause(now, deadline, ended, quiet_since)):
                    data = os.read(key.fd, CHUNK)
                    if key.data is None:
                        continue
                    if data:
                        quiet_since = time.monotonic()
                        self.take(key.data, data)
                    else:
                        selector.unregister(key.fileobj)
        if self._kill_at is not None:
            _signal(process, signal.SIGKILL)  # what is left of the group
        return ended

    def _given_up(self, now: float, ended: float, quiet_since: float) -> bool:
        """Whether pipes that a grandchild holds open need no longer be waited for."""
        being_killed = self._kill_at is not None and self._kill_at < math.inf
        return now - ended >= DRAIN_MOST + self.grace or (now - quiet_since >= DRAIN_SECONDS and not being_killed)

    def _pause(self, now: float, deadline: float | None, ended: float | None, quiet_since: float) -> float | None:
        """Seconds until something has to be looked at again; None when only a pipe or the child's end can tell."""
        next_look = math.inf if self._kill_at is None else self._kill_at
        if ended is not None:
            next_look = min(next_look, quiet_since + DRAIN_SECONDS, ended + DRAIN_MOST + self.grace)
        elif deadline is not None and self._kill_at is None:
            next_look = deadline
        return None if next_look == math.inf else max(0.0, next_look - now)

    def _end(self, process: subprocess.Popen[bytes], number: int) -> None:
        _signal(process, number)
        if self._kill_at is None:
            self._kill_at = time.monotonic() + self.grace

    @contextmanager
    def _signals(self, process: subprocess.Popen[bytes], wake: int) -> Iterator[None]:
        """Pass SIGINT, SIGTERM and SIGHUP on to the child's group while it runs."""
        if not self.forward_signals or threading.current_thread() is not threading.main_thread():
            yield
            return

        def passed_on(number: int, frame: FrameType | None) -> None:
            self.interrupted = signal.Signals(number).name
            self._end(process, number)
            _ring(wake)

        caught = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, passed_on) for number in caught}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _wait(process: subprocess.Popen[bytes], wake: int) -> None:
    process.wait()
    _ring(wake)


def _ring(wake: int) -> None:
    with contextlib.suppress(OSError):
        os.write(wake, b"x")


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
