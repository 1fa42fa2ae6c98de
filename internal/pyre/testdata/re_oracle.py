"""Answers questions about Python's own re module, for the differential tests.

Standard input: one JSON array of {"pattern", "strings"}. Standard output: {"version",
"answers"}, each answer {"error", "pos"} or {"results": [spans or null, ...]}. A search
that takes longer than a second answers "slow".
"""

import json
import re
import signal
import sys
import warnings


class Slow(Exception):
    pass


def ring(_signal, _frame):
    raise Slow


def answer(question):
    try:
        compiled = re.compile(question["pattern"])
    except re.error as error:
        return {"error": error.msg, "pos": -1 if error.pos is None else error.pos}
    except Exception as error:  # OverflowError, ValueError, and a slip of Python 3.8
        return {"error": str(error), "pos": -1}
    results = []
    for string in question["strings"]:
        signal.setitimer(signal.ITIMER_REAL, 1)
        try:
            match = compiled.search(string)
            spans = None
            if match:
                spans = [list(match.span(i)) for i in range(compiled.groups + 1)]
            results.append(spans)
        except Slow:
            results.append("slow")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return {"results": results}


warnings.simplefilter("ignore")
signal.signal(signal.SIGALRM, ring)
sys.setrecursionlimit(20000)
answers = [answer(question) for question in json.load(sys.stdin)]
json.dump({"version": list(sys.version_info[:2]), "answers": answers}, sys.stdout)
