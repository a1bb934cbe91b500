"""Raises an exception that is no `Exception` while it is imported."""

import asyncio

raise asyncio.CancelledError("cancels on purpose")
