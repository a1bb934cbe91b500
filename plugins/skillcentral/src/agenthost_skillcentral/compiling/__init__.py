"""Skills as the files and resources of other tools: chosen by intent, checked against what the tool can do."""
