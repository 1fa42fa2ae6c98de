"""Starting an agent when there is no `vigil run`."""

import json
import os
import stat
import subprocess
import sys
import textwrap

import pytest
from conftest import child_environment

from vigil import _agent


@pytest.fixture
def program(sockdir, monkeypatch):
    """Installs a program that stands for the Go one and does what its body says."""

    def make(body, name="vigil-test"):
        path = os.path.join(sockdir, name)
        with open(path, "w") as f:
            f.write("#!%s\nimport json, os, sys, time\n%s" % (sys.executable, textwrap.dedent(body)))
        os.chmod(path, 0o755)
        monkeypatch.setenv("VIGIL_BIN", path)
        return path

    return make


def test_start(program, sockdir, monkeypatch):
    program(
        """
        with open(%r, "w") as f:
            json.dump([sys.argv[1:], os.getsid(0)], f)
        print(json.dumps({"socket": "/s", "run": "/r"}), flush=True)
        """
        % os.path.join(sockdir, "argv")
    )
    monkeypatch.setattr(os, "environ", os.environ.copy())
    assert _agent.start("/data", "name") == "/s"
    assert (os.environ["VIGIL_SOCKET"], os.environ["VIGIL_RUN"]) == ("/s", "/r")
    argv, session = json.load(open(os.path.join(sockdir, "argv")))
    assert argv == ["agent", "--for-pid", str(os.getpid()), "--dir", "/data", "--name", "name", "--python", sys.executable]
    assert session != os.getsid(0)  # Ctrl-C at the terminal does not reach it
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)  # the script has no child it did not start


@pytest.mark.parametrize(
    "body, said",
    [
        ("sys.stderr.write('vigil: the root is not writable\\n'); sys.exit(1)", "the root is not writable"),
        ("sys.exit(4)", "it ended without an answer"),
        ("print('no json', flush=True); time.sleep(600)", "it answered 'no json'"),
        ("print('no newline', end='', flush=True); time.sleep(600)", "it did not answer within 0.5 s"),
        ("time.sleep(600)", "it did not answer within 0.5 s"),
        ("print('[1]')", "it answered '[1]'"),
    ],
)
def test_failure_is_one_line(program, monkeypatch, capfd, body, said):
    program(body)
    monkeypatch.setattr(_agent, "SECONDS", 0.5 if "did not answer" in said else 60.0)
    assert _agent.start() is None
    assert _agent.start() is None  # said once
    out, err = capfd.readouterr()
    assert out == "" and err == "vigil: nothing is captured: the agent did not start: %s\n" % said


def test_binary_on_the_path(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _agent.find_binary() is None
    path = tmp_path / "vigil"
    path.write_bytes(b"#!/bin/sh\n")
    path.chmod(0o755)
    assert _agent.find_binary() is None  # the wheel's console script would start itself
    path.write_bytes(b"\x7fELF")
    assert _agent.find_binary() == str(path)
    path.chmod(0o644)
    assert _agent.find_binary() is None


def test_no_binary_is_said(monkeypatch, tmp_path, capfd):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _agent.start() is None
    assert capfd.readouterr().err == "vigil: nothing is captured: the vigil program was not found (put it on the PATH, or set VIGIL_BIN)\n"


def test_not_executable(program, capfd):
    path = program("")
    os.chmod(path, 0o644)
    assert _agent.start() is None
    assert "which is not an executable file" in capfd.readouterr().err


RANK = """
import os, sys, json
from vigil import _agent
print(json.dumps(_agent.start(None, None, 2)))
"""


def test_ranks_share_one_agent(program, sockdir):
    program(
        """
        import socket
        sock = socket.socket(socket.AF_UNIX)
        path = %r + "/" + str(os.getpid())
        sock.bind(path)
        sock.listen(8)
        print(json.dumps({"socket": path, "run": "/r"}), flush=True)
        if os.fork() == 0:
            os.close(0); os.close(1); os.close(2)
            end = time.time() + 60
            while time.time() < end and os.path.exists(path):
                time.sleep(0.01)
        """
        % sockdir
    )
    env = child_environment(
        VIGIL_BIN=os.environ["VIGIL_BIN"], XDG_RUNTIME_DIR=sockdir, TORCHELASTIC_RUN_ID="job", MASTER_PORT="1", WORLD_SIZE="2"
    )
    ranks = [subprocess.Popen([sys.executable, "-c", RANK], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    answers = [r.communicate(timeout=120) for r in ranks]
    assert len({out for out, _ in answers}) == 1 and all(err == b"" for _, err in answers)
    path = json.loads(answers[0][0].decode())
    assert os.path.exists(path)
    folder = os.path.join(sockdir, "vigil-%d" % os.getuid())
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    os.unlink(path)  # that agent is gone: the next one gets a new one
    again = subprocess.run([sys.executable, "-c", RANK], env=env, stdout=subprocess.PIPE, timeout=120)
    assert again.returncode == 0


def test_a_directory_open_to_others_is_not_trusted(program, sockdir, monkeypatch, capfd):
    program("print(json.dumps({'socket': '/s', 'run': '/r'}))")
    monkeypatch.setenv("XDG_RUNTIME_DIR", sockdir)
    monkeypatch.setenv("MASTER_PORT", "1")
    folder = os.path.join(sockdir, "vigil-%d" % os.getuid())
    os.mkdir(folder)
    os.chmod(folder, 0o777)
    assert _agent.start(None, None, 2) is None
    assert "not a directory of mode 0700" in capfd.readouterr().err


def test_command(program):
    path = program("print(sys.argv[1:])")
    for command in (["-m", "vigil", "ls", "--json"], ["-c", "import sys; sys.argv[1:] = ['ls', '--json']; from vigil._cli import main; main()"]):
        done = subprocess.run([sys.executable] + command, env=child_environment(VIGIL_BIN=path), stdout=subprocess.PIPE, timeout=120)
        assert (done.returncode, done.stdout) == (0, b"['ls', '--json']\n")


def test_command_without_the_program(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "vigil"], env=child_environment(PATH=str(tmp_path)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120
    )
    assert done.returncode == 1 and done.stderr.startswith(b"vigil: the vigil program is not in this package")
