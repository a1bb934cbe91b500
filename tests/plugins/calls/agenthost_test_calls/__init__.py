"""Tools that misbehave, tools with every kind of argument, tools that tell about their call."""
