"""What a notebook's kernel tells of its notebook and of its cells."""

import linecache
import sys
import types

import pytest

from vigil import _notebook


@pytest.fixture
def shell(monkeypatch):
    """The shell of a kernel, as IPython gives it."""
    numbers = {"/tmp/ipykernel_7/1.py": 2, "/tmp/ipykernel_7/2.py": 1, "/tmp/ipykernel_7/silent.py": 0}
    names = types.SimpleNamespace(format_code_name=lambda name: ("Cell", "In[%s]" % numbers[name]) if name in numbers else None)
    shell = types.SimpleNamespace(kernel=object(), user_ns={}, compile=names)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    for name, text in (("/tmp/ipykernel_7/1.py", "a = 1\nb = 2\n"), ("/tmp/ipykernel_7/2.py", "import os\n"), ("/tmp/ipykernel_7/silent.py", "x\n"), (__file__, "")):
        monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(True), name))
    return shell


def test_cells_have_the_numbers_that_the_notebook_shows(shell):
    assert _notebook.cells() == {
        "list": [{"file": "/tmp/ipykernel_7/2.py", "number": 1, "lines": ["import os"]}, {"file": "/tmp/ipykernel_7/1.py", "number": 2, "lines": ["a = 1", "b = 2"]}]
    }


def test_an_old_ipython_numbers_none(shell):
    shell.compile = object()
    assert _notebook.cells() is None


@pytest.mark.parametrize(
    "code, jupyter, path",
    [
        ("/work/a.ipynb", None, "/work/a.ipynb"),
        (None, "/work/b.ipynb", "/work/b.ipynb"),
        ("/work/a.ipynb", "/work/b.ipynb", "/work/a.ipynb"),
        (None, "console-1", None),  # a console of a Jupyter server
        (7, None, None),
        (None, None, None),
    ],
)
def test_path(shell, monkeypatch, code, jupyter, path):
    if code:
        shell.user_ns["__vsc_ipynb_file__"] = code
    if jupyter:
        monkeypatch.setenv("JPY_SESSION_NAME", jupyter)
    assert _notebook.path() == path


def test_without_a_notebook(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", None)
    monkeypatch.setenv("JPY_SESSION_NAME", "/work/b.ipynb")  # of a script that a notebook starts
    assert _notebook.path() is None and _notebook.cells() is None
