"""Runs scripts, each in a fork of this process, which has PyTorch in its memory already. Knows nothing of Vigil.

To start Python with PyTorch takes seconds, a fork milliseconds. Each line on
standard input asks for one script, in JSON:

    {"argv": ["train.py", ...], "env": {...}, "dir": "...", "stdin": "...", "stdout": "...", "stderr": "..."}

with the whole environment, the working directory and the files of the three
streams. When the script has ended one line on standard output gives its exit
code, negative for a signal. It ends with its input.

With the path of a socket as its argument it asks there, each script by a
connection of its own (run_in_fork.py), and several may run beside each other.
"""

import gc
import json
import os
import select
import signal
import socket
import sys
import types

import quick_end
import torch


def main():
    torch.set_num_threads(1)
    torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)  # loads the compiler, once instead of in every child
    gc.collect()
    gc.freeze()  # what is here is not a script's
    if len(sys.argv) > 1:
        return serve(sys.argv[1])
    asked, answers = os.fdopen(os.dup(0)), os.dup(1)
    for line in asked:
        pid = os.fork()
        if pid == 0:
            os.close(answers)
            return json.loads(line)
        os.write(answers, b"%d\n" % ended(pid))
    os._exit(0)


def serve(path):
    """Fork for what connections to the socket ask for; it returns a request in the process that is to be its script."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path + ".new")
    listening.listen(64)
    os.rename(path + ".new", path)  # who finds it can connect
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait for the scripts
    while True:
        if sys.stdin in select.select([listening, sys.stdin], [], [])[0]:
            os._exit(0)
        connection = listening.accept()[0]
        if os.fork():
            connection.close()
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        listening.close()
        request = json.loads(connection.makefile().readline())
        pid = os.fork()
        if pid == 0:
            connection.close()
            return request
        connection.sendall(b"%d\n" % ended(pid))
        os._exit(0)


def ended(pid):
    """The exit code of a child, when it has ended; negative for a signal."""
    status = os.waitpid(pid, 0)[1]
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def become(request):
    """Make this process that of the script; its code, and the module that it is to run in."""
    for fd, name, flags in ((0, "stdin", os.O_RDONLY), (1, "stdout", os.O_WRONLY), (2, "stderr", os.O_WRONLY)):
        opened = os.open(request[name], flags)
        os.dup2(opened, fd)
        os.close(opened)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["dir"])
    path = request["argv"][0]
    sys.argv = request["argv"]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    module.__file__ = path
    with open(path) as f:
        return compile(f.read(), path, "exec"), module


if __name__ == "__main__":
    code, script = become(main())
    # Not in a function: a script that fails ends as Python ends, with its objects where they were.
    exec(code, script.__dict__)
    quick_end.leave()
