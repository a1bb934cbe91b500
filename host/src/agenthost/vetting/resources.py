"""Is this resource or resource template safe on the wire?"""

from __future__ import annotations

import re
from typing import Any

from agenthost.contributions import Resource, ResourceTemplate
from agenthost.signatures import Signature
from agenthost.vetting.gate import (
    LEGACY,
    MODERN,
    Vetted,
    VettingError,
    as_json,
    check_handler,
    check_members,
    present,
    shown,
    signature_of,
    try_alone,
)

URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f-\x9f\ud800-\udfff]+")
"""A scheme, and no blanks or control characters (RFC 3986, 3.1)."""

MAX_URI = 8192
"""Characters of an address, as the SDK's templates allow."""


def vet_resource(item: Resource | ResourceTemplate, exposed: str) -> Vetted[Resource | ResourceTemplate]:
    """Check a resource or a template under its address.

    Raises:
        VettingError: names the field and what is wrong with it.
    """
    is_template = isinstance(item, ResourceTemplate)
    field = "uri_template" if is_template else "uri"
    if not URI.fullmatch(exposed) or len(exposed) > MAX_URI:
        raise VettingError(field, f"{exposed[:200]!r} is no address: write a scheme, a colon and no blanks")
    if not isinstance(item.name, str) or not item.name:
        raise VettingError("name", f"{shown(item.name)} is not a text with at least one character")
    check_handler(item.handler, None, "")
    objects = ("annotations", "meta", "complete") if is_template else ("annotations", "meta")
    check_members(item, ("name", "description", "title", "mime_type"), objects)
    signature = signature_of(item.handler)
    template = _template(item, signature) if isinstance(item, ResourceTemplate) else None
    if template is None and signature.schema.get("required"):
        raise VettingError(
            "handler",
            f"requires {', '.join(signature.schema['required'])}, which an address without variables cannot give",
        )
    listed = as_json(
        present(
            {
                "name": item.name,
                "title": item.title,
                "description": item.description,
                "mimeType": item.mime_type,
                "size": getattr(item, "size", None),
                "annotations": item.annotations,
                "_meta": item.meta,
            }
        )
    )
    forms = {MODERN: listed, LEGACY: listed}
    if is_template:
        wire = try_alone("resources/templates/list", "resourceTemplates", {"uriTemplate": exposed}, forms)
    else:
        wire = try_alone("resources/list", "resources", {"uri": exposed}, forms)
    return Vetted(item, wire, signature, template=template)


def _template(item: ResourceTemplate, signature: Signature) -> Any:
    from mcp.shared.uri_template import InvalidUriTemplate, UriTemplate

    try:
        template = UriTemplate.parse(item.uri_template)
    except InvalidUriTemplate as error:
        raise VettingError("uri_template", str(error)) from error
    variables = set(template.variable_names)
    if not variables:
        raise VettingError("uri_template", "has no {variable}; contribute it as a Resource")
    known = set(signature.schema["properties"])
    missing = set(signature.schema.get("required", [])) - variables
    if missing or not variables <= known:
        raise VettingError(
            "handler", f"has the parameters {sorted(known)}, and the template the variables {sorted(variables)}"
        )
    for name, function in item.complete.items():
        if name not in variables or not callable(function):
            raise VettingError("complete", f"{shown(name)} has to be a variable, and its value a function")
    return template
