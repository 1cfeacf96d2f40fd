"""Errors, threads, forks, signals, progress, memory."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from typing import Any

import pytest

import disclosure

BIG: dict[str, Any] = dict(up_to=2, rho=1.0, neighbours="add-remove", domain={f"a{i}": 50 for i in range(60)})
ROWS = {f"a{i}": [0, 1, 2, 3] * 50 for i in range(12)}


def slow() -> disclosure.Plan:
    """A plan whose simulation takes milliseconds a trial."""
    return disclosure.plan(up_to=2, rho=1.0, neighbours="add-remove", domain={name: 40 for name in ROWS})


def test_errors_say_what_and_where_and_what_next():
    with pytest.raises(disclosure.SpecError) as refused:
        disclosure.plan("marginals = [\n  oops\n")
    error = refused.value
    assert error.code.startswith("E02") and error.line == 2 and error.exit_code == 2 and not error.spent
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.code, again.line, str(again)) == (type(error), error.code, error.line, str(error))
    assert disclosure.explain(error.code)
    with pytest.raises(KeyError):
        disclosure.explain("E9999")
    with pytest.raises(disclosure.Error) as missing:
        disclosure.plan("nowhere.toml")
    assert missing.value.code == "E0104"
    with pytest.raises(TypeError):
        disclosure.plan("marginals = []\n", rho=1.0)
    with pytest.raises(disclosure.LimitError) as large:
        disclosure.plan(**BIG, max_marginals=10)
    assert large.value.code == "E0611"


def test_every_code_is_explained():
    codes = disclosure.codes()
    assert len(codes) > 150 and len(set(codes)) == len(codes)
    assert all(len(disclosure.explain(code)) > 40 for code in codes)


def test_a_budget_that_protects_little_is_warned_of():
    with pytest.warns(disclosure.DisclosureWarning):
        disclosure.plan(marginals=[["a"]], rho=1e4, neighbours="add-remove", domain={"a": 2})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        disclosure.plan(marginals=[["a"]], rho=0.1, neighbours="add-remove", domain={"a": 2})


def test_threads_release_the_lock_and_do_not_disturb_each_other():
    plan = disclosure.plan(marginals=[["a", "b"]], rho=1e6, neighbours="add-remove", domain={"a": 3, "b": 4})
    rows = disclosure.Data({"a": [0, 1, 2] * 1000, "b": [0, 1, 2] * 1000})

    def work(_):
        return plan.release(rows).table("a", "b").values.round().sum()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(40))) == {3000.0}
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    ticker = threading.Thread(target=tick)
    ticker.start()
    slow().simulate(ROWS, trials=300, seed=1)
    done.set()
    ticker.join()
    assert max(b - a for a, b in zip(ticks, ticks[1:])) < 0.5


def _in_child(queue):
    plan = disclosure.plan(marginals=[["a", "b"]], rho=1e6, neighbours="add-remove", domain={"a": 3, "b": 4})
    queue.put(float(plan.release({"a": [0, 1], "b": [0, 1]}).table("a").values.round().sum()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    disclosure.plan(**BIG)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == 2.0
    child.join(60)
    assert child.exitcode == 0


def test_progress_is_told_and_may_stop_the_job():
    heard = []
    slow().simulate(ROWS, trials=300, seed=1, progress=lambda stage, share: heard.append((stage, share)))
    assert len(heard) > 2 and {stage for stage, _ in heard} - {None} and all(share is None or 0 <= share < 1 for _, share in heard)

    class Enough(Exception):
        pass

    def stop(stage, share):
        raise Enough

    with pytest.raises(Enough):
        slow().simulate(ROWS, trials=10**7, seed=1, progress=stop)


INTERRUPTED = """
import os, signal, sys, threading, time
import disclosure
rows = {"a%d" % i: [0, 1, 2, 3] * 50 for i in range(12)}
def later():
    time.sleep(1.0)
    print(time.time(), flush=True)
    os.kill(os.getpid(), signal.SIGINT)
plan = disclosure.plan(up_to=2, rho=1.0, neighbours="add-remove", domain={"a%d" % i: 40 for i in range(12)})
threading.Thread(target=later, daemon=True).start()
try:
    plan.simulate(rows, trials=10**7, seed=1)
except KeyboardInterrupt:
    print(time.time(), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_an_interrupt_stops_within_200_ms():
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60)
    sent, stopped = (float(line) for line in ended.stdout.split())
    assert stopped - sent < 0.2, ended.stderr


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory as Linux tells it")
def test_arrow_streams_tables_and_pickles_leak_nothing():
    pa = pytest.importorskip("pyarrow")
    plan = disclosure.plan(marginals=[["a"]], rho=1.0, neighbours="add-remove", domain={"a": 2})
    release, rows = plan.release({"a": [0, 1, 1]}), pa.table({"a": list(range(2)) * 10_000})

    def calls(number):
        for _ in range(number):
            disclosure.Data(rows)
            release.table("a").to_arrow()
            pickle.loads(pickle.dumps(release)).table("a")
            with pytest.raises(disclosure.DataError):
                plan.check(rows.slice(0, 0))

    calls(200)
    before = resident()
    calls(1000)
    # A stream that is kept would be 160 kB a call.
    assert resident() - before < 16 << 20


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory as Linux tells it")
def test_ten_thousand_calls_leak_nothing():
    plan = disclosure.plan(marginals=[["a"]], rho=1.0, neighbours="add-remove", domain={"a": 2})
    rows = {"a": [0, 1, 1]}

    def calls(number):
        for _ in range(number):
            plan.release(rows)
            with pytest.raises(disclosure.DataError):
                plan.check({"a": [3]})

    calls(1000)
    before = resident()
    # Half of them releases and half refusals: a leak of 1 kB a call would be 10 MB.
    calls(5000)
    assert resident() - before < 8 << 20
