"""The numbers behind `/metrics`, and what is said where nobody can read them."""

from __future__ import annotations

import asyncio

import pytest
from agenthost.calls import BUCKETS, Meter
from agenthost.calls.meter import Called
from agenthost.http import metrics
from starlette.requests import Request

HELLO = Called("tool", "hello", "hello")


def test_calls_are_counted_by_how_they_ended() -> None:
    meter = Meter()
    meter.count(HELLO, "ok", 0.1)
    meter.count(HELLO, "ok", 0.2)
    meter.count(HELLO, "cancelled", 3.0)
    [(called, calling)] = meter
    assert called == HELLO
    assert calling.outcomes == {"ok": 2, "cancelled": 1}
    assert calling.seconds == pytest.approx(3.3)


@pytest.mark.parametrize(("seconds", "bucket"), [(0.0, 0), (0.005, 0), (0.0051, 1), (300.0, 13), (301.0, 14)])
def test_a_call_is_in_the_first_bucket_that_is_not_too_short(seconds: float, bucket: int) -> None:
    meter = Meter()
    meter.count(HELLO, "ok", seconds)
    [(_, calling)] = meter
    assert calling.buckets == [int(number == bucket) for number in range(len(BUCKETS) + 1)]


def test_what_is_called_while_somebody_reads_does_not_disturb() -> None:
    meter = Meter()
    meter.count(HELLO, "ok", 0.1)
    for called, _ in meter:
        meter.count(Called("prompt", called.plugin, "another"), "ok", 0.1)
    assert len(list(meter)) == 2


def test_without_its_package_the_answer_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agenthost.http.metrics.find_spec", lambda name: None)
    request = Request({"type": "http", "method": "GET", "path": "/metrics", "headers": []})
    answer = asyncio.run(metrics.Metrics(Meter(), []).answer(request))
    assert answer.status_code == 404
    assert b"pip install 'agenthost-core[metrics]'" in bytes(answer.body)
