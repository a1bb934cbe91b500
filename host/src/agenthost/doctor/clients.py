"""Will the known clients take it?"""

from __future__ import annotations

from collections.abc import Iterator

from agenthost.doctor.diagnosis import Diagnosis
from agenthost.profiles import lint, load_profiles
from agenthost.surface import Surface


def check_clients(surface: Surface) -> Iterator[Diagnosis]:
    """One warning for each thing that a client will not take."""
    remarks = lint(surface, load_profiles())
    for remark in remarks:
        yield Diagnosis(
            "clients",
            "info" if remark.level == "I" else "warning",
            f"{remark.word} {remark.name}",
            remark.what,
            remark.cure,
            remark.rule,
            remark.client,
            remark.source,
            remark.plugin,
            remark.effect,
        )
    if not any(remark.level in "EW" for remark in remarks):
        yield Diagnosis("clients", "ok", "rules", "nothing that a known client would refuse or cut")
