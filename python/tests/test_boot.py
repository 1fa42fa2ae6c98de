"""The zero-line start: sitecustomize, the chain to the user's own, the import hook."""

import ast
import os
import shutil
import subprocess
import sys
import textwrap

import pytest
from conftest import PYTHON, child_environment

BOOT = os.path.join(PYTHON, "boot")


@pytest.fixture
def tree(tmp_path):
    """Writes files into a directory on the PYTHONPATH, and runs Python below our boot directory."""

    class Tree(object):
        def write(self, **files):
            for name, text in files.items():
                path = tmp_path.joinpath(*name.split("__slash__")).with_suffix(".py")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(textwrap.dedent(text))

        def run(self, code, *flags, boot=True, **extra):
            extra.setdefault("VIGIL_SOCKET", "/nowhere")
            env = child_environment(**{k: v for k, v in extra.items() if v is not None})
            paths = [BOOT] if boot else []
            env["PYTHONPATH"] = os.pathsep.join(paths + [str(tmp_path), PYTHON])
            done = subprocess.run(
                [sys.executable] + list(flags) + ["-c", textwrap.dedent(code)],
                env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
            )  # fmt: skip
            return done.returncode, done.stdout.decode(), done.stderr.decode()

    return Tree()


# A package that stands for the framework: what is tested is the import machinery.
FRAMEWORK = """
    print("framework runs")
    assert __spec__.loader is __loader__
    print(type(__loader__).__name__)
"""
HOOK = """
    def install():
        import framework
        print("hook installed,", "done" if framework.done else "not done")
"""
USE_HOOK = "import vigil._boot; vigil._boot.HOOKS.clear(); vigil._boot.HOOKS['framework'] = 'fakehook'\n"


def test_nothing_of_ours_is_imported_without_a_socket(tree):
    code = "import sys; print([m for m in sys.modules if m.startswith('vigil')], [type(f).__name__ for f in sys.meta_path].count('Finder'))"
    for extra in ({"VIGIL_SOCKET": None}, {"VIGIL_SOCKET": ""}, {"VIGIL": "0"}):
        assert tree.run(code, **extra) == (0, "[] 0\n", "")


def test_until_a_framework_comes_there_is_only_a_finder(tree):
    code = "import sys; print(sorted(m for m in sys.modules if m.startswith('vigil')), type(sys.meta_path[0]).__name__)"
    assert tree.run(code) == (0, "['vigil', 'vigil._boot', 'vigil._guard', 'vigil._stacks', 'vigil._version'] Finder\n", "")


def test_the_hook_is_installed_after_the_import(tree):
    tree.write(framework=FRAMEWORK + "    done = True\n", fakehook=HOOK)
    want = "framework runs\nSourceFileLoader\nhook installed, done\nuser goes on SourceFileLoader\n"
    code = USE_HOOK + "import framework; print('user goes on', type(framework.__spec__.loader).__name__); import importlib; importlib.import_module('framework')"
    assert tree.run(code) == (0, want, "")


def test_the_hook_is_installed_when_the_framework_was_there_before(tree):
    tree.write(framework="done = True", fakehook=HOOK, sitecustomize="import framework, vigil._boot; vigil._boot.HOOKS.clear(); vigil._boot.HOOKS['framework'] = 'fakehook'")
    assert tree.run("print('user')") == (0, "hook installed, done\nuser\n", "")


def test_a_framework_that_is_absent_or_broken_fails_as_ever(tree):
    code = USE_HOOK + textwrap.dedent(
        """
        import traceback
        for _ in range(2):
            try:
                import framework
            except Exception as error:
                print(type(error).__name__, error)
                print("vigil" in traceback.format_exc())
        """
    )
    status, out, err = tree.run(code)
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == "ModuleNotFoundError No module named 'framework'"
    tree.write(framework="raise ValueError('broken one')")
    status, out, err = tree.run(code)
    assert (status, err) == (0, "") and out.splitlines()[::2] == ["ValueError broken one"] * 2


@pytest.mark.parametrize("hook", ["def install(): raise ValueError('ours')", "raise ValueError('ours')", "syntax error", "", "import sys; 1/0"])
def test_a_broken_hook_never_reaches_the_script(tree, hook):
    tree.write(framework="done = True", fakehook=hook)
    status, out, err = tree.run(USE_HOOK + "import framework; print('user goes on')")
    assert (status, out) == (0, "user goes on\n")
    assert err.count("\n") == 1 and err.startswith("vigil: capture failed in _install: ")


def test_a_package_keeps_its_resources(tree):
    """importlib.util and pkgutil see the framework's own loader."""
    tree.write(framework__slash____init__="done = True", framework__slash__nn="x = 1", fakehook=HOOK)
    code = USE_HOOK + textwrap.dedent(
        """
        import importlib.util, pkgutil, inspect
        assert importlib.util.find_spec("framework").submodule_search_locations
        import framework.nn
        print(framework.nn.x, sorted(m.name for m in pkgutil.iter_modules(framework.__path__)), inspect.getsource(framework).strip())
        """
    )
    assert tree.run(code) == (0, "hook installed, done\n1 ['nn'] done = True\n", "")


def test_another_finder_that_forbids_the_framework_is_heard(tree):
    code = USE_HOOK + textwrap.dedent(
        """
        import sys
        class No(object):
            def find_spec(self, name, path=None, target=None):
                if name == "framework":
                    raise ImportError("not here")
        sys.meta_path.append(No())
        try:
            import framework
        except ImportError as error:
            print(error)
        """
    )
    assert tree.run(code) == (0, "not here\n", "")


# The chain to the sitecustomize that ours hides.


def test_the_users_own_sitecustomize_runs(tree):
    tree.write(sitecustomize="import sys; print(__name__, sys.modules[__name__].__dict__ is globals()); mark = 1")
    code = "import sitecustomize; print(sitecustomize.mark, sitecustomize.__file__.endswith('boot/sitecustomize.py'))"
    assert tree.run(code) == tree.run(code, boot=False) == (0, "sitecustomize True\n1 False\n", "")


def test_the_users_own_sitecustomize_runs_when_vigil_is_off(tree):
    tree.write(sitecustomize="print('mine')")
    for extra in ({"VIGIL_SOCKET": None}, {"VIGIL": "0"}):
        assert tree.run("", **extra) == (0, "mine\n", "")


@pytest.mark.parametrize("body", ["raise ValueError('mine')", "import nothing_like_this", "syntax error"])
def test_an_error_in_the_users_own_is_reported_as_ever(tree, body):
    tree.write(sitecustomize=body)
    code = "import sys; print('sitecustomize' in sys.modules)"
    with_us, without = tree.run(code), tree.run(code, boot=False)
    assert with_us == without and with_us[1] == "False\n"
    code = "import sys; print(type(sys.meta_path[0]).__name__)"
    assert tree.run(code)[1] == "Finder\n"


def test_the_interpreters_own_sitecustomize_is_found(tree, tmp_path):
    """One that lies in the standard library's directory, as Debian's does, comes after PYTHONPATH."""
    tree.write(other__slash__sitecustomize="print('last')")
    tree.write(sitecustomize="")
    os.unlink(str(tmp_path / "sitecustomize.py"))
    env = child_environment(VIGIL_SOCKET="/nowhere")
    env["PYTHONPATH"] = os.pathsep.join([BOOT, PYTHON, str(tmp_path / "other")])
    done = subprocess.run([sys.executable, "-c", ""], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"last\n", b"")


def test_two_boot_directories(tree, tmp_path):
    """A run inside a run: each has its own copy on the path."""
    other = tmp_path / "boot2"
    other.mkdir()
    with open(os.path.join(BOOT, "sitecustomize.py")) as f:
        (other / "sitecustomize.py").write_text(f.read())
    env = child_environment(VIGIL_SOCKET="/nowhere")
    env["PYTHONPATH"] = os.pathsep.join([BOOT, str(other), BOOT, PYTHON])
    code = "import sys; print([type(f).__name__ for f in sys.meta_path].count('Finder'))"
    done = subprocess.run([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"1\n", b"")


def test_isolated_python_is_as_ever(tree):
    for flag in ("-I", "-E", "-S"):
        status, out, err = tree.run("import sys; print([m for m in sys.modules if m.startswith('vigil')])", flag)
        assert (status, out, err) == (0, "[]\n", "")


def test_optimised_python(tree):
    tree.write(framework="done = True", fakehook=HOOK)
    assert tree.run(USE_HOOK + "import framework", "-OO") == (0, "hook installed, done\n", "")


# Old interpreters.


def test_the_boot_file_is_parsed_by_old_pythons():
    with open(os.path.join(BOOT, "sitecustomize.py")) as f:
        text = f.read()
    ast.parse(text, feature_version=(3, 4))
    assert all(ord(c) < 128 for c in text)  # Python 2 would want to know the encoding
    for word in ("nonlocal ", "print(", ' f"', "yield from", "->"):
        assert word not in text


def test_the_package_is_parsed_by_python_3_8():
    for folder, _, names in os.walk(os.path.join(PYTHON, "vigil")):
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    ast.parse(f.read(), name, feature_version=(3, 8))


# Interpreters below 3.8, where the environment names some; read before the tests clean the environment.
OLD_PYTHONS = [p for p in os.environ.get("VIGIL_TEST_OLD_PYTHONS", "").split(os.pathsep) if p]


def test_old_pythons_stay_inert(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.stdout.write('mine\\n')\n")
    code = "import sys\ntry:\n    import torch\nexcept ImportError:\n    pass\nsys.stdout.write('%s\\n' % [m for m in sys.modules if 'vigil' in m])"
    env = child_environment(VIGIL_SOCKET="/nowhere")
    env["PYTHONPATH"] = os.pathsep.join([BOOT, str(tmp_path), PYTHON])
    for python in OLD_PYTHONS:
        done = subprocess.run([python, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"mine\n[]\n", b""), python
    (tmp_path / "torch.py").write_text("")
    for python in OLD_PYTHONS:
        done = subprocess.run([python, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        assert (done.returncode, done.stdout) == (0, b"mine\n[]\n"), python
        assert done.stderr.startswith(b"vigil: nothing is captured: Python ") and done.stderr.count(b"\n") == 1


# Says 3.7 of itself before the boot file runs, as only an interpreter of that age would; prints what is hooked.
PRETENDS = """
    import os, runpy, sys
    sys.version_info = (3, 7, 0)
    before = [type(f).__name__ for f in sys.meta_path]
    runpy.run_path(os.path.join(%r, "sitecustomize.py"))
    print([type(f).__name__ for f in sys.meta_path if type(f).__name__ not in before])
    for _ in range(2):
        try:
            import torch
            print("torch", torch.__name__, type(torch.__spec__.loader).__name__)
        except ImportError as error:
            print(error)
    print([m for m in sys.modules if "vigil" in m], [type(f).__name__ for f in sys.meta_path] == before)
""" % BOOT
TOO_OLD = "vigil: nothing is captured: Python 3.7 is too old, 3.8 or later is needed\n"


def test_an_interpreter_that_says_3_7_gets_one_line_and_no_hook(tree):
    tree.write(torch="print('framework runs')")
    want = "['_VigilTooOld']\nframework runs\ntorch torch SourceFileLoader\ntorch torch SourceFileLoader\n[] True\n"
    assert tree.run(PRETENDS, boot=False) == (0, want, TOO_OLD)


def test_an_interpreter_that_says_3_7_is_silent_without_the_framework(tree):
    without = "import sys\nsys.path[:] = [p for p in sys.path if '-packages' not in p]\n"
    want = "['_VigilTooOld']\nNo module named 'torch'\nNo module named 'torch'\n[] True\n"
    assert tree.run(without + textwrap.dedent(PRETENDS), boot=False) == (0, want, "")


@pytest.mark.parametrize("extra", [{"VIGIL_SOCKET": None}, {"VIGIL": "0"}])
def test_an_interpreter_that_says_3_7_is_silent_outside_a_run(tree, extra):
    tree.write(torch="")
    want = "[]\ntorch torch SourceFileLoader\ntorch torch SourceFileLoader\n[] True\n"
    assert tree.run(PRETENDS, boot=False, **extra) == (0, want, "")


def test_an_import_of_a_framework_leaves_a_mark_beside_the_socket(tree, tmp_path):
    socket, mark = tmp_path / "s", tmp_path / "s.imported"
    tree.write(framework="done = 1", fakehook="def install(): pass")
    code = USE_HOOK + "vigil._boot.start()\n"
    tree.run(code + "import framework", VIGIL_SOCKET=str(socket))
    assert not mark.exists(), "there is no socket, so nobody looks for the mark"
    socket.touch()
    tree.run(code + "import json", VIGIL_SOCKET=str(socket))
    assert not mark.exists()
    assert tree.run(code + "import framework", VIGIL_SOCKET=str(socket)) == (0, "", "")
    assert mark.exists()


def test_the_launchers_copy_is_compiled_once_where_python_writes_no_bytecode(tmp_path):
    """Containers often say PYTHONDONTWRITEBYTECODE=1. The launcher's copy in the user's cache is compiled all the same, and nothing else is."""
    boot, lib, user = tmp_path / "v" / "boot", tmp_path / "v" / "lib" / "vigil", tmp_path / "user"
    shutil.copytree(BOOT, str(boot), ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(os.path.join(PYTHON, "vigil"), str(lib), ignore=shutil.ignore_patterns("__pycache__"))
    user.mkdir()
    (user / "framework.py").write_text("done = True")
    (user / "fakehook.py").write_text("def install(): import vigil._layout")

    def compiled(*paths):
        env = child_environment(VIGIL_SOCKET="/nowhere", PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=os.pathsep.join(map(str, paths + (user,))))
        done = subprocess.run([sys.executable, "-c", USE_HOOK + "import framework"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        assert (done.returncode, done.stdout) == (0, b"")
        return sorted(p.relative_to(tmp_path).parts[0] for p in tmp_path.rglob("__pycache__"))

    assert compiled(BOOT, PYTHON) == []  # a copy that is not the launcher's stays as it is
    assert set(compiled(boot, lib.parent)) == {"v"}
    assert len(list((lib / "__pycache__").iterdir())) == len(list(lib.glob("*.py")))
