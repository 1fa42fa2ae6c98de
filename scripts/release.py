#!/usr/bin/env python3
"""Makes all files of a release from this checkout; it publishes nothing. Needs Go, and pip for hatchling.

    python3 scripts/release.py [DIRECTORY]     into dist/release, which must be empty or not there

* vigil_ml-VERSION.tar.gz: the sources that the package is built from
* vigil_ml-VERSION-….whl: the Python package, for Linux on x86-64 and on arm64
* vigil-VERSION-OS-ARCH.tar.gz or .zip: the program alone, for the same two, and for macOS and Windows, where it reads runs but captures nothing
* SHA256SUMS: the checksums of all of them; `sha256sum -c SHA256SUMS` checks them
"""

import gzip
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))
import build_program

ROOT = build_program.ROOT
WHEELS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64",
}
LICENCES = ["LICENSE", "internal/report/page/vendor/uPlot.LICENSE"]

ABOUT = """Vigil %(version)s for %(target)s

Vigil watches machine-learning training: it captures losses, weights,
gradients and activations of an unchanged script, judges them while it runs,
and says what went wrong and what to try.

%(can)s

`%(program)s --help` shows the commands. LICENSE is Vigil's licence, the other
two files are those of what the program is made of.
"""
CAPTURES = "vigil demo                    watch a small network go wrong, be stopped and explained\nvigil run -- python train.py  watch your own script"
READS = (
    "This program reads, judges and shows runs that were captured on Linux:\n`%(program)s check RUN`, `%(program)s report RUN` and others. "
    "To watch a training\nis not possible on this system yet."
)


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def hatchling():
    """A Python with the hatchling that pyproject.toml names."""
    version = re.search(r'"hatchling==([^;"]+)', read("pyproject.toml")).group(1)
    home = os.path.join(ROOT, "build", "tools", "hatchling-" + version)
    python = os.path.join(home, "bin", "python")
    if subprocess.call([python, "-c", "import hatchling.build"], stderr=subprocess.DEVNULL) if os.path.exists(python) else True:
        venv.create(home, with_pip=True, clear=True)
        subprocess.check_call([python, "-m", "pip", "install", "-q", "hatchling==" + version])
    return python


def commit_time():
    """Seconds since 1970 of the commit, which is the time of all files in the archives."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    try:
        return int(subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT, stderr=subprocess.DEVNULL))
    except (OSError, subprocess.CalledProcessError):
        return int(time.time())


def archive(out, name, files, when):
    """A .tar.gz or .zip of (name, content, executable) in a folder of the archive's name; the same input gives the same bytes."""
    if name.endswith(".zip"):
        with zipfile.ZipFile(os.path.join(out, name), "w", zipfile.ZIP_DEFLATED) as z:
            for inside, content, executable in files:
                info = zipfile.ZipInfo(name[: -len(".zip")] + "/" + inside, time.gmtime(when)[:6])
                info.external_attr = (0o755 if executable else 0o644) << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                z.writestr(info, content)
        return
    with open(os.path.join(out, name), "wb") as raw, gzip.GzipFile("", "wb", 6, raw, when) as packed, tarfile.open(fileobj=packed, mode="w") as t:
        for inside, content, executable in files:
            info = tarfile.TarInfo(name[: -len(".tar.gz")] + "/" + inside)
            info.size, info.mtime, info.mode = len(content), when, 0o755 if executable else 0o644
            with tempfile.TemporaryFile() as f:
                f.write(content)
                f.seek(0)
                t.addfile(info, f)


def program(out, target, version, when):
    goos, goarch = target.split("/")
    with tempfile.TemporaryDirectory() as made:
        paths, third = build_program.build(made, goos, goarch)
        name = os.path.basename(paths[0])
        can = CAPTURES if goos == "linux" else READS % {"program": name}
        about = ABOUT % {"version": version, "target": target, "program": name, "can": can}
        files = [("README.txt", about.encode("utf-8"), False)]
        for licence in LICENCES:
            files.append((os.path.basename(licence), read(*licence.split("/")).encode("utf-8"), False))
        for p, executable in [(third, False)] + [(path, True) for path in paths]:
            with open(p, "rb") as f:
                files.append((os.path.basename(p), f.read(), executable))
        archive(out, "vigil-%s-%s-%s%s" % (version, goos, goarch, ".zip" if goos == "windows" else ".tar.gz"), files, when)


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] == ["-h"] or sys.argv[1:2] == ["--help"]:
        sys.stdout.write(__doc__)
        return 0 if len(sys.argv) == 2 else 1
    out = os.path.abspath(sys.argv[1]) if len(sys.argv) == 2 else os.path.join(ROOT, "dist", "release")
    if os.path.isdir(out) and os.listdir(out):
        sys.stderr.write("release.py: %s is not empty; remove it, or name another directory\n" % out)
        return 1
    go = build_program.find_go()
    if go is None:
        sys.stderr.write("release.py: there is no Go %s or later on the PATH\n" % build_program.wanted_go())
        return 1
    if subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip():
        sys.stderr.write("release.py: note: the checkout has changes that are not committed; they are in the release\n")
    os.makedirs(out, exist_ok=True)
    when = commit_time()
    python = hatchling()
    version = build_program.version()
    environ = dict(os.environ, SOURCE_DATE_EPOCH=str(when), PYTHONDONTWRITEBYTECODE="1")
    build = [python, "-m", "hatchling", "build", "-d", out]
    subprocess.run(build + ["-t", "sdist"], cwd=ROOT, env=environ, check=True, stdout=subprocess.DEVNULL)
    for target, platform in WHEELS.items():
        subprocess.run(build + ["-t", "wheel"], cwd=ROOT, env=dict(environ, VIGIL_WHEEL_TARGET=target, VIGIL_WHEEL_PLATFORM=platform), check=True, stdout=subprocess.DEVNULL)
    try:
        for target in read("scripts", "platforms.txt").split():
            program(out, target, version, when)
    except build_program.BuildError as e:
        sys.stderr.write("release.py: %s\n" % e)
        return 1
    sums = []
    for name in sorted(os.listdir(out)):
        with open(os.path.join(out, name), "rb") as f:
            content = f.read()
        sums.append("%s  %s\n" % (hashlib.sha256(content).hexdigest(), name))
        print("  %-70s %5.1f MB" % (name, len(content) / 1048576))
    with open(os.path.join(out, "SHA256SUMS"), "w", encoding="ascii") as f:
        f.writelines(sums)
    print("  SHA256SUMS\nin %s" % out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
