"""Compares what hooks send with the types that Vigil decodes it into: a key that is unknown, missing or mistyped fails the test."""

import atexit
import json
import os
import subprocess
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_lock = threading.Lock()
_process = None


def check(messages):
    """Raise unless each message, a dict, fits its type."""
    wrong = set()
    with _lock:
        process = _start()
        for message in messages:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            assert answer, "the program that compares messages has ended"
            wrong.update("%s: %s" % (message.get("t"), one) for one in json.loads(answer))
    assert not wrong, "what the hook sent does not fit the types of internal/capture and internal/record:\n" + "\n".join(sorted(wrong))


def _start():
    global _process
    if _process is None:
        pipe = subprocess.PIPE
        _process = subprocess.Popen(["go", "run", "./internal/testenv/sent"], cwd=ROOT, stdin=pipe, stdout=pipe, universal_newlines=True)
        atexit.register(_end)
    return _process


def _end():
    _process.stdin.close()
    _process.wait()
