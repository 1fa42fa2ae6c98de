"""The modules of python/vigil import in one direction: none that imports it, by whatever way, also not within a function."""

import ast
import os

import pytest

ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "vigil")
FACADE = "vigil"  # it imports modules when they are first used, and they find in it the hook that is active


def sources():
    """{name of module: its source}."""
    found = {}
    for at, _, names in os.walk(ROOT):
        for name in names:
            if name.endswith(".py"):
                path = os.path.join(at, name)
                parts = os.path.relpath(path, os.path.dirname(ROOT))[: -len(".py")].split(os.sep)
                with open(path) as f:
                    found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = f.read()
    return found


def imported(modules):
    """{name of module: the others of these that it imports}."""
    graph = {}
    for module, source in modules.items():
        names = graph[module] = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, "%s imports relative to itself" % module
                for alias in node.names:
                    inner = "%s.%s" % (node.module, alias.name)
                    names.add(inner if inner in modules else node.module)
        names &= set(modules) - {module}
    graph.pop(FACADE, None)
    return graph


def circle(graph):
    """The names of a circle, the first again at the end; [] when there is none."""
    done = set()

    def follow(name, way):
        if name in way:
            return way[way.index(name) :] + [name]
        if name in done:
            return []
        for other in sorted(graph.get(name, ())):
            found = follow(other, way + [name])
            if found:
                return found
        done.add(name)
        return []

    for name in sorted(graph):
        found = follow(name, [])
        if found:
            return found
    return []


def test_modules_import_in_one_direction():
    graph = imported(sources())
    assert "vigil._steps" in graph["vigil._run_reader"]
    assert " -> ".join(circle(graph)) == ""


@pytest.mark.parametrize(
    "modules,found",
    [
        ({"a": "import b", "b": "import c", "c": ""}, []),
        ({"a": "import b", "b": "def f():\n    from c import x", "c": "import a"}, ["a", "b", "c", "a"]),
        ({"p": "", "p.a": "from p import b", "p.b": "from p.a import x"}, ["p.a", "p.b", "p.a"]),
        ({"vigil": "from vigil import _a", "vigil._a": "import vigil"}, []),
        ({"a": "import b, c", "b": "import d", "c": "import d", "d": "import os"}, []),
    ],
)
def test_finds_a_circle(modules, found):
    assert circle(imported(modules)) == found
