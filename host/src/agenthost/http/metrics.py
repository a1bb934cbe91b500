"""`/metrics`: what was called, how often and how long, as Prometheus reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from itertools import accumulate
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from agenthost.calls import BUCKETS, Meter
from agenthost.http.answers import refusal
from agenthost.plugins import Plugin

if TYPE_CHECKING:
    from prometheus_client import Metric

LABELS = ("kind", "plugin", "name")


class Metrics:
    """Answers with all numbers, if `prometheus_client` is installed: the extra `agenthost-core[metrics]`."""

    def __init__(self, meter: Meter, plugins: Sequence[Plugin]) -> None:
        self._meter = meter
        self._plugins = plugins
        self._encoder: Callable[[str], tuple[Callable[[Metrics], bytes], str]] | None = None
        if find_spec("prometheus_client") is not None:
            from prometheus_client.exposition import choose_encoder

            self._encoder = choose_encoder

    async def answer(self, request: Request) -> Response:
        """The endpoint."""
        if self._encoder is None:
            return refusal(404, "metrics need another package: pip install 'agenthost-core[metrics]'")
        encode, content_type = self._encoder(request.headers.get("accept", ""))
        return Response(encode(self), headers={"content-type": content_type})

    def collect(self) -> Iterable[Metric]:
        """See `prometheus_client.registry.Collector`; made anew for each look, since calls keep plain numbers."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        up = GaugeMetricFamily("agenthost_plugin_up", "Whether a wanted plugin is served.", labels=("plugin",))
        for plugin in self._plugins:
            up.add_metric((plugin.name,), float(plugin.reason is None))
        yield up
        calls = CounterMetricFamily("agenthost_calls", "Calls by how they ended.", labels=(*LABELS, "outcome"))
        took = HistogramMetricFamily("agenthost_call_duration_seconds", "How long calls took.", labels=LABELS)
        for called, calling in self._meter:
            labels = (called.kind, called.plugin, called.name)
            for outcome, count in calling.outcomes.items():
                calls.add_metric((*labels, outcome), count)
            ends = [*map(str, BUCKETS), "+Inf"]
            took.add_metric(labels, list(zip(ends, accumulate(calling.buckets), strict=True)), calling.seconds)
        yield calls
        yield took
