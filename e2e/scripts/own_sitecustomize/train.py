"""A training in an environment with a sitecustomize of its own (put own_sitecustomize/site on PYTHONPATH)."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
print("own sitecustomize %s" % os.environ.get("OWN_SITECUSTOMIZE", "did not run"), flush=True)
import mlp  # noqa: E402, F401
