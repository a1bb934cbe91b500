"""Must not be imported while another distribution offers a plugin of the same name."""

print("agenthost_test_twin_two was imported")  # noqa: T201  (the test looks for it)
