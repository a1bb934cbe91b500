"""Must not be imported under any of its names."""

print("agenthost_test_unnameable was imported")  # noqa: T201  (the test looks for it)
