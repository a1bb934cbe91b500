"""Is never done with being imported."""

import threading

threading.Event().wait()
