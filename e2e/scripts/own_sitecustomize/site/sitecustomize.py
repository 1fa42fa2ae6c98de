"""The user's own sitecustomize: it must still run."""

import os

os.environ["OWN_SITECUSTOMIZE"] = "ran"
