"""``python -m vigil`` is the command ``vigil``."""

import sys

from vigil._cli import main

if __name__ == "__main__":
    sys.exit(main())
