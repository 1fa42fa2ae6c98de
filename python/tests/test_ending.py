"""The exception that ends a process is told with its traceback; nothing is replaced in Python to know it."""

import os
import subprocess
import sys

import collector
import fakeagent
import pytest
from conftest import child_environment

from vigil import _ending

PRINT = "import atexit\nfrom vigil import _ending\natexit.register(lambda: print(_ending.traceback_text() or 'none'))\n"
HOOK = "import sys\nsys.excepthook = lambda *error: None\n"


@pytest.mark.parametrize(
    "script, told",
    [
        ("", "none\n"),
        ("raise SystemExit(3)", "none\n"),
        ("try: {}['x']\nexcept KeyError: pass", "none\n"),
        ("raise KeyError('x')", "KeyError: 'x'\n"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt\n"),
        ("try: {}['x']\nexcept KeyError: 1 / 0", "KeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:"),
        (HOOK + "raise ValueError('of a script with a hook of its own')", "ValueError: of a script with a hook of its own\n"),
        ("class Mute(Exception):\n    def __str__(self): raise OSError\nraise Mute", "Mute: <%s>\n" % ("exception str() failed" if sys.version_info >= (3, 11) else "unprintable Mute object")),
        ("def f(): f()\nf()", "RecursionError"),
    ],
)
def test_what_ended_a_process(tmp_path, script, told):
    path = tmp_path / "script.py"
    path.write_text(PRINT + script)
    done = subprocess.run([sys.executable, str(path)], env=child_environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True)
    assert told in done.stdout
    assert len(done.stdout) <= _ending.MOST_TEXT + 100


def test_at_a_prompt_an_exception_ends_nothing(monkeypatch):
    monkeypatch.setattr(sys, "last_value", ValueError("before"), raising=False)
    assert "ValueError: before" in _ending.traceback_text()
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    assert _ending.traceback_text() == ""


def test_a_session_tells_it_before_it_says_bye(sockdir):


    agent = collector.Collector(os.path.join(sockdir, "s"))
    text = "import vigil\nvigil.log({'loss': 1.0})\nraise ValueError('bad weights')\n"
    try:
        collector.train(["-c", text], env=collector.environment(VIGIL_SOCKET=agent.path, VIGIL_STRICT="1"), check=False)
        fakeagent.until(lambda: agent.runs[0].over, "the end of the session")
    finally:
        agent.die()
    messages = agent.runs[0].messages
    kinds = [m["t"] for m in messages]
    assert kinds.index("traceback") < kinds.index("bye")
    said = messages[kinds.index("traceback")]
    assert said["error"] == "ValueError" and said["text"].endswith("ValueError: bad weights\n")
