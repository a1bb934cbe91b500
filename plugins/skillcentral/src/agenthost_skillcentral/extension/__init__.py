"""The skills extension of the protocol (`io.modelcontextprotocol/skills`): skills as folders of files."""
