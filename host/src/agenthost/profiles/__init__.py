"""What known MCP clients will not accept: a profile of each as data, and the rules that read them.

A profile is a TOML file beside this one. It says which rules concern the client, with the limits, the
effect and the source of each; numbers are never in code. A rule is a small function over the merged
surface. Their numbers are those of the project's notes on clients: N names, L lists, D descriptions and
instructions, S schemas, T time.
"""

from agenthost.profiles.lint import Remark, lint
from agenthost.profiles.profile import Fact, Profile, load_profiles
from agenthost.profiles.rule import RULES

__all__ = ["RULES", "Fact", "Profile", "Remark", "lint", "load_profiles"]
