"""`python -m agenthost` is the command `agenthost`."""

from agenthost.cli import main

main()
