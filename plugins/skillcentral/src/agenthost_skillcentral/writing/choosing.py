"""In which layer a new skill goes, if nobody says so: its tags tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agenthost_skillcentral.model import Layer
from agenthost_skillcentral.writing.places import NotWritten

_TAGS = (
    ("01-global", "", "global universal baseline system mindset"),
    (
        "02-workflows",
        "",
        "workflow debug review planning commit test lint readme changelog refactor document release git",
    ),
    (
        "03-domains",
        "",
        "docker nginx infra devops security database db data ai agent ml kubernetes k8s terraform aws",
    ),
    ("04-tech-stack", "languages", "typescript javascript python kotlin swift java go rust ruby php c++ c"),
    (
        "04-tech-stack",
        "frameworks",
        "react vue svelte nextjs next nuxt angular express fastapi django flask spring rails",
    ),
)
"""Layer, folder in it, and the tags of what goes there."""

_DEFAULT = "02-workflows"


def choose_layer(layers: Sequence[Layer], named: str | None, tags: Iterable[str]) -> tuple[Layer, str]:
    """The layer of a new skill, and the folder in it, which may be empty.

    Args:
        layers: all there are.
        named: the id or name of a layer that somebody asked for.
        tags: the skill's.

    Raises:
        NotWritten: there is no such layer, it may not be written, or nothing says which one it is.
    """
    writable = [layer for layer in layers if layer.writable]
    choice = ", ".join(layer.id for layer in writable) or "none"
    if named is not None:
        found = next((layer for layer in layers if named in {layer.id, layer.name}), None)
        if found is None:
            raise NotWritten(f"there is no layer {named!r}; writable are: {choice}")
        if not found.writable:
            raise NotWritten(f"the layer {found.id} is not writable; writable are: {choice}")
        return found, ""
    wanted = {tag.casefold() for tag in tags}
    # The usual four have other ids in some configurations, and the same folders.
    usual = {**{layer.path.name: layer for layer in writable}, **{layer.id: layer for layer in writable}}
    matching = [(usual[name], folder) for name, folder, tags_ in _TAGS if name in usual and wanted & set(tags_.split())]
    if matching:
        return max(matching, key=lambda match: match[0].priority)
    if _DEFAULT in usual:
        return usual[_DEFAULT], ""
    if len(writable) == 1:
        return writable[0], ""
    raise NotWritten(f"say which layer with --layer; writable are: {choice}")
