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
    # The script in the environment's bin is what a shell calls; "python -m vigil" is not.
    called = os.path.abspath(sys.argv[0]) if os.path.basename(sys.argv[0]) == "vigil" else binary
    os.execv(binary, [called] + sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
