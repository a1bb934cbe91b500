"""The rules of campfire: pure functions and frozen dataclasses that know neither SQL nor MCP."""
