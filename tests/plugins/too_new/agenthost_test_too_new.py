"""Would tell that it was imported, which must not happen: its requirement is read before."""

print("agenthost_test_too_new was imported")  # noqa: T201  (the test looks for it)
