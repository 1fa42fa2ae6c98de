"""What python/vigil may not read or replace: variables of frames, source lines, private tables of a framework."""

import ast
import os
import re

import pytest

ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "vigil")
FILES = sorted(os.path.join(at, name) for at, _, names in os.walk(ROOT) for name in names if name.endswith(".py"))

_NAMES = re.compile(r"f_locals|PyFrame_GetVar|_builtins\b|get_objects|get_referrers|gc\.(disable|enable|freeze|set_threshold)")
_LINES = re.compile(r"linecache")
# The reader of a user's own rule quotes its lines in errors; cells of a notebook are in no file in which a place of a finding could be shown.
_QUOTE = ("_rule.py", "_notebook.py")
# The frames of PyTorch's own functions are read, and no others: torch/test_function_losses.py shows it.
_FRAMES = "function_watch.py"
_OF_PYTORCH = "return frame.f_locals if frame.f_code.co_filename == F.__file__ else {}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: os.path.relpath(p, ROOT))
def test_reads_nothing_of_the_script(path):
    with open(path) as f:
        text = f.read()
    if os.path.basename(path) == _FRAMES:
        assert text.count(_OF_PYTORCH) == 1
        text = text.replace(_OF_PYTORCH, "")
    assert not _NAMES.findall(text)
    assert os.path.basename(path) in _QUOTE or not _LINES.findall(text)


@pytest.mark.parametrize("path", FILES, ids=lambda p: os.path.relpath(p, ROOT))
def test_replaces_nothing_in_torch_C(path):
    with open(path) as f:
        assert not list(replaced(ast.parse(f.read())))


@pytest.mark.parametrize(
    "source,found",
    [
        ("torch._C._nn.mse_loss = f", 1),
        ("torch._C.x, y = f, g", 1),
        ("nn = torch._C._nn\nsetattr(nn, name, f)", 1),
        ("setattr(torch._C, 'x', f)", 1),
        ("nn = torch._C._nn\nnn.f = g\n", 1),
        ("known = getattr(torch._C, 'x', None)\nself.known = torch._C.y", 0),
        ("torch.compile = f", 0),
    ],
)
def test_the_test(source, found):
    assert len(list(replaced(ast.parse(source)))) == found


def replaced(tree):
    """Assignments to attributes of torch._C, or of what a name stands for that was taken from there."""
    named = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _inside(node.value, {}):
            named.update((t.id, node.value) for t in node.targets if isinstance(t, ast.Name))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for one in ast.walk(target):
                    if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and _inside(one.value, named):
                        yield one
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr") and _inside(node.args[0], named):
            yield node


def _inside(node, named):
    """Whether an expression is torch._C or lies in it."""
    while isinstance(node, ast.Attribute):
        if node.attr == "_C" and isinstance(node.value, ast.Name) and node.value.id == "torch":
            return True
        node = node.value
    return isinstance(node, ast.Name) and node.id in named
