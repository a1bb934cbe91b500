"""The one route table: which name or address is answered by which contribution of which plugin.

Names are looked up, never parsed. Lists, calls, reads and completions go through the same tables, so
what is off is off everywhere, and two equal names are never listed.
"""

from agenthost.catalog.catalog import Catalog, Changed
from agenthost.catalog.table import Route, Table

__all__ = ["Catalog", "Changed", "Route", "Table"]
