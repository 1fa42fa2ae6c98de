"""The console command of the wheel: the Go program that lies in the package."""

import os
import sys


def main():
    """Replace this process by the Go program."""
    from vigil import _agent

    binary = _agent.find_binary()
    if binary is None:
        sys.stderr.write("vigil: the vigil program is not in this package (no wheel for this platform?); set VIGIL_BIN to its path\n")
        return 1
    os.execv(binary, [binary] + sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
