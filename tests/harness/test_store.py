"""The record on disk: nothing torn, nothing lost but what the policy drops, no failure laundered."""

import random
import signal
import subprocess
import time

import orjson

from tests.harness.helpers import TOOL, records
from transcript_lint.harness import last, load_records, store
from transcript_lint.samples import termination


def record(name, exit=0, **fields):
    return {
        "v": 1,
        "event": "command",
        "command_id": name,
        "tool": "run",
        "argv": ["make", name.split("-")[0]],
        "cwd": "/w",
        "termination": termination(exit=exit),
        "must_rerun": exit != 0,
        "stdout_tail": "x" * 300,
        **fields,
    }


def whole_set(path):
    return [r for file in store.files(path) for r in records(file)]


def test_rotation_keeps_five_older_files_in_order(tmp_path):
    path = tmp_path / "r.jsonl"
    for number in range(60):
        store.append(path, record(f"t{number}"), max_bytes=2_000)
    names = [r["command_id"] for r in whole_set(path)]
    assert len(store.files(path)) == 6
    assert names == [f"t{number}" for number in range(60 - len(names), 60)]
    assert all(file.stat().st_size <= 2_000 for file in store.files(path))


def test_open_failures_are_carried_and_cleared_ones_are_not(tmp_path):
    path = tmp_path / "r.jsonl"
    store.append(path, record("bad", exit=2), max_bytes=2_000)
    store.append(path, record("fixed", exit=2), max_bytes=2_000)
    store.append(path, record("fixed-again"), max_bytes=2_000)
    for number in range(120):
        store.append(path, record(f"t{number}"), max_bytes=2_000)
    everything = whole_set(path)
    carried = [run["command_id"] for r in everything if r["event"] == "carried" for run in r["runs"]]
    assert "bad" in carried
    assert "fixed" not in carried
    assert "bad" not in [r.get("command_id") for r in everything]


def test_rotation_cut_short_anywhere_is_finished(tmp_path, monkeypatch):
    for stop_after in range(1, 9):
        path = tmp_path / str(stop_after) / "r.jsonl"
        for number in range(40):
            store.append(path, record(f"t{number}", exit=number == 1), max_bytes=2_000)
        before = {r["command_id"] for r in whole_set(path) if r["event"] == "command"}
        renames = 0
        rename = type(path).replace

        def dies(self, target, rename=rename, stop_after=stop_after):
            nonlocal renames
            renames += 1
            if renames > stop_after:
                raise KeyboardInterrupt
            return rename(self, target)

        monkeypatch.setattr(type(path), "replace", dies)
        try:
            for number in range(40, 50):
                store.append(path, record(f"t{number}"), max_bytes=2_000)
        except KeyboardInterrupt:
            pass
        monkeypatch.setattr(type(path), "replace", rename)
        store.append(path, record("after"), max_bytes=2_000)
        kept = [r["command_id"] for r in whole_set(path) if r["event"] == "command"]
        assert kept[-1] == "after"
        assert len(kept) == len(set(kept))
        lost = before - set(kept)
        assert len(lost) <= 8, lost


def test_torn_end_is_taken_off(tmp_path):
    path = tmp_path / "r.jsonl"
    store.append(path, record("one"))
    with path.open("ab") as out:
        out.write(b'{"v": 1, "event": "comm')
    store.append(path, record("two"))
    assert [r["command_id"] for r in records(path)] == ["one", "two"]


def test_load_and_last(tmp_path):
    path = tmp_path / "r.jsonl"
    assert list(load_records(path)) == []
    assert last(path) is None
    for number in range(30):
        store.append(path, record(f"t{number}"), max_bytes=2_000)
    newest, third = last(path), last(path, argv=["make", "t3"])
    assert newest is not None
    assert newest["command_id"] == "t29"
    assert third is None or third["command_id"] == "t3"
    assert len(list(load_records(path))) < len(list(load_records(path, rotated=True)))


def test_parallel_runs_some_killed(tmp_path):
    """Runs side by side on one small record, some killed at random: no line torn, no finished run missing."""
    path, chance = tmp_path / "r.jsonl", random.Random(5)
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"
    code = (
        "import sys; from transcript_lint.harness import run_with_feedback as run; n = sys.argv[1]\n"
        f"run(['bash', '-c', f'echo token={secret}; exit ' + str(int(n) % 3 == 0), n], "
        f"record_file={str(path)!r}, max_bytes=6_000); print('written')"
    )
    finished = set()
    running = []
    for number in range(24):
        process = subprocess.Popen([TOOL[0], "-c", code, str(number)], stdout=subprocess.PIPE)
        running.append((number, process, chance.random() < 0.25))
        if len(running) == 6 or number == 23:
            time.sleep(0.3)
            for one, other, killed in running:
                if killed:
                    other.send_signal(signal.SIGKILL)
                if b"written" in other.communicate(timeout=60)[0]:
                    finished.add(str(one))
            running = []
    everything = whole_set(path)
    seen = {r["argv"][-1] for r in everything if r["event"] == "command"}
    seen |= {run["argv"][-1] for r in everything if r["event"] == "carried" for run in r["runs"]}
    dropped_ok = {n for n in finished - seen if int(n) % 3}
    assert finished - seen == dropped_ok
    assert len(seen) >= 6
    assert all(secret not in file.read_text() for file in tmp_path.iterdir())
    assert all(orjson.loads(line) for file in store.files(path) for line in file.read_bytes().splitlines())
