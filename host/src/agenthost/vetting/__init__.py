"""The gate: is this one contribution safe on the wire, in both eras? If not, it alone is kept out.

One bad entry makes official clients refuse the whole list, and the SDK answer -32603 for it,
so every contribution is tried alone before it may join a list.
"""

from agenthost.vetting.gate import LEGACY, MODERN, Vetted, VettingError
from agenthost.vetting.prompts import PROMPT_NAME, vet_prompt
from agenthost.vetting.resources import vet_resource
from agenthost.vetting.tools import TOOL_NAME, vet_tool

__all__ = [
    "LEGACY",
    "MODERN",
    "PROMPT_NAME",
    "TOOL_NAME",
    "Vetted",
    "VettingError",
    "vet_prompt",
    "vet_resource",
    "vet_tool",
]
