"""Durable storage for plugins, shared by every process on the machine.

A plugin declares a `Schema` and gets a `Store`; which database is behind it is this package's affair.
"""

from agenthost.storage.sqlite import SqliteEngine
from agenthost.storage.store import Store, Transaction

__all__ = ["SqliteEngine", "Store", "Transaction"]
