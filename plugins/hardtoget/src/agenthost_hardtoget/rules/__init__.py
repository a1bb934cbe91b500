"""The game as pure functions: no clock, no database, no protocol."""
