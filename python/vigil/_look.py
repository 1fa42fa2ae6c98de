"""Whether facts of a training are read: VIGIL_LOOK=0, and `vigil run --no-look`, leave capture and the rules on curves."""

import os


def wanted():
    return os.environ.get("VIGIL_LOOK", "").lower() not in ("0", "false", "no", "off")
