"""Runs a script in a fork of a process that has PyTorch already, and ends as the script ends.

Usage: run_in_fork.py SOCKET SCRIPT ARGUMENTS, where fork_server.py listens on SOCKET. The
script gets the environment, the directory and the streams of this process.
"""

import json
import os
import socket
import sys

asking = socket.socket(socket.AF_UNIX)
asking.connect(sys.argv[1])
request = {name: "/proc/%d/fd/%d" % (os.getpid(), fd) for fd, name in enumerate(("stdin", "stdout", "stderr"))}
request.update(argv=sys.argv[2:], env=dict(os.environ), dir=os.getcwd())
asking.sendall(json.dumps(request).encode() + b"\n")
code = int(asking.makefile().readline())
if code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
