"""Runs scripts, each in a fork of this process, which has PyTorch in its memory already. Knows nothing of Vigil.

To start Python with PyTorch takes seconds, a fork milliseconds. Each line on
standard input asks for one script, in JSON:

    {"argv": ["train.py", ...], "env": {...}, "dir": "...", "stdin": "...", "stdout": "...", "stderr": "..."}

with the whole environment, the working directory and the files of the three
streams. When the script has ended one line on standard output gives its exit
code, negative for a signal. It ends with its input.
"""

import gc
import json
import os
import sys
import types

import torch


def main():
    torch.set_num_threads(1)
    torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)  # loads the compiler, once instead of in every child
    gc.collect()
    gc.freeze()  # what is here is not a script's
    asked, answers = os.fdopen(os.dup(0)), os.dup(1)
    for line in asked:
        pid = os.fork()
        if pid == 0:
            os.close(answers)
            return json.loads(line)
        _, status = os.waitpid(pid, 0)
        os.write(answers, b"%d\n" % (-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)))
    os._exit(0)


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
    # Not in a function: the script ends as Python ends, with its objects where they were.
    exec(code, script.__dict__)
