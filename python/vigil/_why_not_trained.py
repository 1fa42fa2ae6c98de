"""What was seen in a process that imported a framework and was not seen to train, told to the agent when the process ends."""

import atexit
import os
import socket
import sys

from vigil import _ending, _guard, _wire

_SECONDS = 1.0  # longest that saying it may take


def watch(trained, reason, lacks=False):
    """At the end of this process say reason(), one sentence for a person, unless trained(). lacks: that is why it ended."""
    if os.environ.get("VIGIL_SOCKET") and not _helper():
        atexit.register(_told, trained, reason, os.getpid(), lacks)


def _helper():
    """Whether this process is one that another Python started to help it, such as a data loader's worker."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


@_guard.guard
def _told(trained, reason, pid, lacks=False):
    path = os.environ.get("VIGIL_SOCKET")
    if not path or pid != os.getpid() or trained() or _helper():
        return
    message = {"t": "control", "cmd": "idle", "reason": reason()}
    if lacks:
        message["lacks"] = True
    error = _ending.error()
    if error is not None:
        message["error"] = type(error).__name__
        message["traceback"] = _ending.traceback_text()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(_SECONDS)
        s.connect(path)
        s.sendall(_wire.frame(_wire.dumps(message)))
        s.recv(1)
