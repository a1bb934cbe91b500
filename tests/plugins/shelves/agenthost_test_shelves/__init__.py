"""Two plugins whose resources, templates and prompts meet."""
