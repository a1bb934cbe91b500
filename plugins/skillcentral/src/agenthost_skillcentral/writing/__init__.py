"""Writing skills and rules: what may be written where, and files that are never seen half written."""
