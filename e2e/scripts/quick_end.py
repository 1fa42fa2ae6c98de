"""Ends the process of a fork as Python ends, without the last thing: to free object by object what it shares with the process that it is a
fork of, each page of which is copied for that. With PyTorch in memory this takes longer than most trainings of the tests."""

import atexit
import os
import sys
import threading


def leave():
    """Wait for threads, run what is to be done at the end, and end with exit code 0."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
