"""Ends the process while it is imported, as a script without a main guard does."""

import sys

sys.exit("leaves on purpose")
