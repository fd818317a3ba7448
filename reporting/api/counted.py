"""Calls counted by route, method and status, and how long they took, in the web's own processes.

For `/metrics`. Prometheus' client library keeps the counts; where `pumper serve` starts several processes they share a
folder (`reporting.config.shared_counts`), and any of them answers for all. Elsewhere each process tells its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reporting.config import shared_counts

if TYPE_CHECKING:
    from prometheus_client import Metric

BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds; no answer but a file's may take five."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Any other word that a caller sends for one counts as `other`: there is no end of them, and each would be kept."""
NO_ROUTE: Final = "none"
"""For what no address of the service is: the address itself may name an owner's place, and has no end of values."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """How one thing stands: samples of labels and value."""

    name: str
    tells: str
    samples: tuple[tuple[Mapping[str, str], float], ...]


class Counted:
    """What the calls came to. The library looks for the folder once, when it is imported: so that is done here."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

        # Moments of each sample's first count, which double the text.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._own = CollectorRegistry()
        labels = ("method", "route", "status")
        self._calls = Counter("pumper_http_requests", "Calls answered.", labels, registry=self._own)
        self._seconds = Histogram(
            "pumper_http_request_duration_seconds", "How long the answers took to make.", ("route",), buckets=BUCKETS,
            registry=self._own,
        )  # fmt: skip

    def note(self, *, method: str, route: str | None, status: int, seconds: float) -> None:
        """Count one call."""
        named = route or NO_ROUTE
        known = method if method in METHODS else "other"
        self._calls.labels(method=known, route=named, status=str(status)).inc()
        self._seconds.labels(route=named).observe(seconds)

    def text(self, figures: Iterable[Figure]) -> bytes:
        """What has been counted, by all processes that share a folder, and these figures (text format 0.0.4)."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        told = CollectorRegistry()
        folder = shared_counts()
        if folder:
            MultiProcessCollector(told, folder)  # type: ignore[no-untyped-call]
        else:
            told.register(self._own)
        told.register(_Standing([_family(figure) for figure in figures]))
        return generate_latest(told)


class _Standing:
    """Figures of this moment as one more source; what the library asks of its `Collector`, by shape."""

    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Sequence[Metric]:
        return self._families


def _family(figure: Figure) -> Metric:
    from prometheus_client.core import GaugeMetricFamily

    labels = list(figure.samples[0][0]) if figure.samples else []
    family = GaugeMetricFamily(figure.name, figure.tells, labels=labels)
    for named, value in figure.samples:
        family.add_metric([named[label] for label in labels], value)
    return family
