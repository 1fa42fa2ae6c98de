"""The dashboard in a notebook: what is started, and what a cell shows."""

import html
import json
import os
import re
import sys
import textwrap
import types

import fakeagent
import pytest

import vigil
from vigil import _notebook, _ui


@pytest.fixture
def program(sockdir, monkeypatch):
    """Installs a program that stands for `vigil ui`; gives the file that it writes what it is asked to."""

    def make(about=None, body="for line in sys.stdin: log(line.strip()); print('ok', flush=True)\nlog('end')"):
        path, log = os.path.join(sockdir, "vigil-test"), os.path.join(sockdir, "log")
        about = about or {"url": "http://127.0.0.1:7445/?token=all", "token": "all", "root": "/data/a<b", "tunnel": ""}
        with open(path, "w") as f:
            f.write("#!%s\nimport json, os, sys, time\n" % sys.executable)
            f.write("def log(text):\n    with open(%r, 'a') as f: f.write(json.dumps(text) + '\\n')\n" % log)
            f.write("log([sys.argv[1:], os.getsid(0), os.getcwd()])\nprint(%r, flush=True)\n" % json.dumps(about, indent=1))
            f.write(textwrap.dedent(body))
        os.chmod(path, 0o755)
        monkeypatch.setenv("VIGIL_BIN", path)
        return lambda: [json.loads(line) for line in open(log)]

    yield make
    _ui._forked()  # ends what was started


def place(monkeypatch, kernel=True, user_ns=None, server=None, proxy=False, **environ):
    """Makes this process look like a kernel that is used in some way."""
    shell = types.SimpleNamespace(kernel=object(), user_ns=user_ns or {}) if kernel else None
    monkeypatch.setattr(_notebook, "kernel", lambda: shell)
    monkeypatch.setattr(_ui, "_server", lambda: server)
    monkeypatch.setattr(_ui, "_has_proxy", lambda server: proxy)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)


JUPYTER = {"base_url": "/", "port": 8888, "hostname": "localhost", "secure": False}
HUB = {"base_url": "/user/ada/", "port": 8888, "hostname": "127.0.0.1", "secure": False}
OWN = ["--framed-by", "http://localhost:8888", "--framed-by", "http://127.0.0.1:8888"]
DIRECT = "http://localhost:7445/"
PREFIX = {"JUPYTERHUB_SERVICE_PREFIX": "/user/ada/"}


@pytest.mark.parametrize(
    "name, where, notebook, flags, frame, says",
    [
        ("a script", {"kernel": False}, None, [], None, ""),
        ("Jupyter on this machine", {"server": JUPYTER}, None, OWN, DIRECT, ""),
        ("Jupyter with TLS", {"server": {**JUPYTER, "secure": True}}, None, [f.replace("http:", "https:") for f in OWN], DIRECT, ""),
        ("Jupyter under another address", {"server": JUPYTER}, "http://localhost:9000/lab", ["--framed-by", "http://localhost:9000", *OWN], DIRECT, ""),
        ("Jupyter with a proxy", {"server": JUPYTER, "proxy": True}, None, ["--base-path", "/proxy/absolute/{port}", "--framed-by", "self"], "/", ""),
        (
            "JupyterHub with a proxy",
            {"server": HUB, "proxy": True, "JUPYTERHUB_PUBLIC_URL": "https://hub.example.org/user/ada/", **PREFIX},
            None,
            ["--host", "hub.example.org", "--base-path", "/user/ada/proxy/absolute/{port}", "--framed-by", "self"],
            "/",
            "",
        ),
        (
            "JupyterHub that is told",
            {"server": HUB, "proxy": True, **PREFIX},
            "https://hub.example.org",
            ["--host", "hub.example.org", "--base-path", "/user/ada/proxy/absolute/{port}", "--framed-by", "self"],
            "/",
            "",
        ),
        ("JupyterHub without a proxy", {"server": HUB, **PREFIX}, None, [], None, "With the package jupyter-server-proxy"),
        ("Jupyter elsewhere without a proxy", {"server": JUPYTER}, "https://lab.example.org", ["--host", "lab.example.org"], None, "With the package jupyter-server-proxy"),
        ("a kernel whose front end is not known", {}, None, [], None, ""),
        ("VS Code", {"user_ns": {"__vsc_ipynb_file__": "x"}, "server": JUPYTER}, None, [], None, "VS Code"),
    ],
)
def test_places(name, where, notebook, flags, frame, says, program, monkeypatch):
    said = program()
    place(monkeypatch, **where)
    dashboard = vigil.ui("/data", notebook=notebook)
    shown = dashboard._repr_mimebundle_()
    assert said()[0][0] == ["ui", "/data", *flags, "--beside", "--json"]
    frames = [html.unescape(src) for src in re.findall(r'<iframe src="([^"]*)"', shown["text/html"])]
    ticket = said()[1]
    assert frames == ([frame + "?token=" + ticket] if frame else [])
    assert says in shown["text/html"] and says in shown["text/plain"]
    assert "http://127.0.0.1:7445/?token=" + ticket in shown["text/plain"]
    assert "all" not in re.findall("token=([^\" \n]*)", shown["text/html"] + shown["text/plain"])


def test_colab(program, monkeypatch):
    program()
    place(monkeypatch)
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    assert "Colab's machine cannot be reached" in repr(vigil.ui()) and "<iframe" not in vigil.ui()._repr_html_()


def test_what_it_opens(program, monkeypatch):
    program()
    place(monkeypatch, server=JUPYTER)
    for arguments, path in (
        ({}, "/"),
        ({"page": "curves"}, "/curves"),
        ({"run": "a b/c"}, "/runs/a%20b%2Fc"),
        ({"run": "a", "page": "curves"}, "/runs/a/curves"),
    ):
        assert "http://127.0.0.1:7445%s?token=" % path in repr(vigil.ui(**arguments)), arguments
    shown = vigil.ui(height=300)._repr_html_()
    assert 'height="300"' in shown and "<code>/data/a&lt;b</code>" in shown


def test_over_ssh_the_tunnel_is_named(program, monkeypatch):
    program({"url": "http://127.0.0.1:7445/?token=all", "root": "/data", "tunnel": "ssh -N -L 7445:127.0.0.1:7445 ada@gpu-3"})
    place(monkeypatch, server=JUPYTER)
    assert "ssh -N -L 7445:127.0.0.1:7445 ada@gpu-3" in vigil.ui()._repr_html_()


def test_each_showing_has_an_address_of_its_own(program, monkeypatch):
    said = program()
    place(monkeypatch, server=JUPYTER)
    dashboard = vigil.ui()
    addresses = {dashboard.address, repr(dashboard), dashboard._repr_html_()}
    tickets = said()[1:]
    assert len(addresses) == len(set(tickets)) == 3 and all(len(t) == 43 for t in tickets)


def test_one_program_for_a_folder(program, monkeypatch):
    said = program()
    place(monkeypatch, server=JUPYTER)
    for _ in range(3):
        repr(vigil.ui("/data"))
    repr(vigil.ui("/other"))
    assert [s[0][1] for s in said() if isinstance(s, list)] == ["/data", "/other"]


def children():
    """The process IDs of this process's children."""
    found = set()
    for task in os.listdir("/proc/self/task"):
        with open("/proc/self/task/%s/children" % task) as f:
            found.update(f.read().split())
    return found


def test_it_is_nobody_s_child_and_ends_with_its_input(program, monkeypatch):
    said = program()
    before = children()  # of other tests
    dashboard = vigil.ui()
    assert children() <= before
    assert said()[0][1] != os.getsid(0) and said()[0][2] == os.getcwd()
    pid = os.fork()
    if pid == 0:  # such as a loader's worker
        try:
            while True:
                import time

                time.sleep(1)
        finally:
            os._exit(0)
    dashboard.close()
    try:
        fakeagent.until(lambda: said()[-1] == "end", "its end")
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    assert repr(dashboard) == "Vigil: there is no dashboard: it has ended; call vigil.ui() again"
    assert "http" in repr(vigil.ui())


@pytest.mark.parametrize(
    "about, body, said",
    [
        ({"error": {"message": '"/x" is not a directory', "hint": "give the directory"}}, "", '"/x" is not a directory; give the directory'),
        ("no object", "", "`vigil ui` answered"),
        (None, "sys.exit(4)", "it has ended"),
    ],
)
def test_what_does_not_work_is_said(about, body, said, program, monkeypatch):
    program(about, body)
    assert said in repr(vigil.ui()) and "<iframe" not in vigil.ui()._repr_html_()


def test_nothing_is_raised(monkeypatch):
    monkeypatch.setenv("VIGIL_BIN", "/nowhere")
    assert "the vigil program was not found" in repr(vigil.ui())
    assert "notebook='hub' is not" in repr(vigil.ui(notebook="hub"))
    monkeypatch.setenv("VIGIL", "0")
    assert "VIGIL=0" in repr(vigil.ui()) and vigil.ui().address is None
