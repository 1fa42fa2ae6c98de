"""``vigil.ui()``: the dashboard in an output cell of a notebook.

It starts `vigil ui` as nobody's child, which ends when this process does: then
its standard input ends. What a cell shows is kept in the notebook's file, so it
never has the dashboard's token, but a ticket: an address that lets one browser in.
"""

import html
import json
import os
import secrets
import sys
import time
from urllib.parse import quote, urlsplit

from vigil import _agent, _fork, _notebook

SECONDS = 20.0  # how long the program may take to answer

_open = {}  # what was asked for -> Program


class Cannot(Exception):
    """Why there is no dashboard, for a person."""


class Program(object):
    """A running `vigil ui`."""

    def __init__(self, command):
        self.stdin, self.stdout = _start(command)
        self.lines = _agent.Lines(self.stdout)
        said = ""
        end = time.monotonic() + SECONDS
        while True:
            line = self.lines.next(end)
            if not line:
                self.close()
                raise Cannot("`vigil ui` %s" % ("did not answer within %g s" % SECONDS if line is None else "ended: " + said.strip()[:300]))
            said += line.decode("utf-8", "replace")
            try:
                self.about = json.loads(said)
                break
            except ValueError:
                pass  # the answer has more lines
        if not isinstance(self.about, dict) or "url" not in self.about:
            self.close()
            error = self.about.get("error") if isinstance(self.about, dict) else None
            raise Cannot("%(message)s; %(hint)s" % error if error else "`vigil ui` answered %.200r" % said)
        self.base = urlsplit(self.about["url"]).path
        self.port = urlsplit(self.about["url"]).port

    def ticket(self):
        """A secret that lets one browser in; None when the program has ended."""
        secret = secrets.token_urlsafe(32)
        try:
            os.write(self.stdin, secret.encode("ascii") + b"\n")
            return secret if self.lines.next(time.monotonic() + SECONDS) == b"ok" else None
        except OSError:
            return None

    def ended(self):
        """Whether there is nobody at the other end of its standard input."""
        import select

        if self.stdin < 0:
            return True
        poll = select.poll()
        poll.register(self.stdin, 0)
        return bool(poll.poll(0))

    def close(self):
        for fd in (self.stdin, self.stdout):
            try:
                os.close(fd)
            except OSError:
                pass
        self.stdin = self.stdout = -1


def _start(command):
    """Start it as nobody's child, in a session of its own; its standard input and output."""
    import subprocess

    shell = ["/bin/sh", "-c", 'exec 3<&0; "$@" <&3 3<&- &', "sh"]
    process = subprocess.Popen(
        shell + command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True, close_fds=True
    )
    stdin, stdout = os.dup(process.stdin.fileno()), os.dup(process.stdout.fileno())
    process.stdin.close()
    process.stdout.close()
    process.wait()
    return stdin, stdout


def _forked():
    for program in _open.values():
        program.close()
    _open.clear()


class Place(object):
    """Where the notebook is shown, as far as the kernel can know."""

    def __init__(self, notebook=None):
        self.flags = []
        self.direct = self.proxied = False
        self.why = ""  # why there is no frame
        shell = _notebook.kernel()
        server = _server()
        public = urlsplit(notebook or os.environ.get("JUPYTERHUB_PUBLIC_URL") or "")
        if notebook and (public.scheme not in ("http", "https") or not public.hostname):
            raise Cannot("notebook=%r is not the beginning of an address such as https://hub.example.org" % (notebook,))
        if public.hostname and not _here(public.hostname):
            self.flags += ["--host", public.hostname]
        if shell is None:
            return
        if "google.colab" in sys.modules:
            self.why = "Colab's machine cannot be reached from your browser. `!vigil report` writes one file that Colab's file view downloads."
        elif "__vsc_ipynb_file__" in shell.user_ns:
            self.why = "VS Code shows no frame here: click the address. In a window of another machine it forwards the port, by itself or with \"Forward a Port\"."
        elif server is not None and _has_proxy(server):
            self.proxied = True
            self.flags += ["--base-path", server["base_url"] + "proxy/absolute/{port}", "--framed-by", "self"]
            if server.get("hostname") in ("", "0.0.0.0", "::", "*"):
                self.flags += ["--host", os.uname().nodename]
        elif os.environ.get("JUPYTERHUB_SERVICE_PREFIX") or (public.hostname and not _here(public.hostname)):
            self.why = "Your browser cannot reach the ports of the kernel's machine. With the package jupyter-server-proxy beside the Jupyter server it can, and the dashboard is shown here."
        elif server is not None or public.hostname:
            self.direct = True
            origins = ["%s://%s" % (public.scheme, public.netloc)] if public.hostname else []
            if server is not None:
                scheme = "https" if server.get("secure") else "http"
                origins += ["%s://%s:%d" % (scheme, name, server["port"]) for name in ("localhost", "127.0.0.1")]
            for origin in dict.fromkeys(origins):
                self.flags += ["--framed-by", origin]


def _here(host):
    return host in ("localhost", "127.0.0.1", "::1")


def _server():
    """The Jupyter server that started this kernel, as it describes itself to its user's programs; None without one."""
    try:
        from jupyter_core.paths import jupyter_runtime_dir

        pid = os.environ.get("JPY_PARENT_PID") or str(os.getppid())
        with open(os.path.join(jupyter_runtime_dir(), "jpserver-%s.json" % pid), encoding="utf-8") as f:
            server = json.load(f)
        return server if isinstance(server.get("base_url"), str) and isinstance(server.get("port"), int) else None
    except Exception:
        return None


def _has_proxy(server):
    """Whether the Jupyter server hands requests on to other ports: what it does not know is not found."""
    import http.client
    import ssl

    if server.get("sock"):
        return False
    host = server.get("hostname") or "127.0.0.1"
    if host in ("0.0.0.0", "::", "*"):
        host = "127.0.0.1"
    if server.get("secure"):
        # Nothing secret is sent: only that there is an answer counts.
        connection = http.client.HTTPSConnection(host, server["port"], timeout=3, context=ssl._create_unverified_context())
    else:
        connection = http.client.HTTPConnection(host, server["port"], timeout=3)
    try:
        connection.request("HEAD", server["base_url"] + "proxy/absolute/1/vigil")
        return connection.getresponse().status != 404
    except Exception:
        return False
    finally:
        connection.close()


class Dashboard(object):
    """What ``vigil.ui()`` gives: a notebook shows it as the dashboard, everything else as its address."""

    def __init__(self, root=None, run=None, page=None, height=720, notebook=None):
        self._height = int(height)
        self._path = _path(run, page)
        self._why = None
        try:
            if os.environ.get("VIGIL") == "0":
                raise Cannot("VIGIL=0 switches everything off")
            self._place = Place(notebook)
            self._program = _program(root, self._place.flags)
        except Cannot as error:
            self._why = str(error)
        except Exception as error:  # a notebook that trains goes on
            self._why = "%s: %s" % (type(error).__name__, error)

    @property
    def address(self):
        """An address that lets one browser in; None when there is no dashboard."""
        ticket = self._ticket()
        return self._url("http://127.0.0.1:%d" % self._program.port, ticket) if ticket else None

    def close(self):
        """End it. It ends with the kernel, too."""
        if self._why is None:
            self._program.close()

    def _ticket(self):
        if self._why is None:
            ticket = self._program.ticket()
            if ticket:
                return ticket
            self._why = "it has ended; call vigil.ui() again"
        return None

    def _url(self, origin, ticket):
        return "%s%s%s?token=%s" % (origin, self._program.base, self._path, ticket)

    def _repr_mimebundle_(self, include=None, exclude=None):
        ticket = self._ticket()
        return {"text/plain": self._text(ticket), "text/html": self._html(ticket)}

    def _repr_html_(self):
        return self._html(self._ticket())

    def __repr__(self):
        return self._text(self._ticket())

    def _text(self, ticket):
        if not ticket:
            return "Vigil: there is no dashboard: %s" % self._why
        return "\n".join(["Vigil: the dashboard of %s: %s" % (self._program.about["root"], self._url("http://127.0.0.1:%d" % self._program.port, ticket))] + self._notes())

    def _notes(self):
        """What to know where there is no frame, or an empty one."""
        if self._place.proxied:
            return []
        notes = [self._place.why] if self._place.why else []
        tunnel = self._program.about.get("tunnel")
        if tunnel:
            notes.append("On the machine with the browser, then open the address there: %s" % tunnel)
        return notes

    def _html(self, ticket):
        if not ticket:
            return "<p>%s</p>" % html.escape(self._text(ticket))
        place, program = self._place, self._program
        origin = "" if place.proxied else "http://localhost:%d" % program.port
        url = html.escape(self._url(origin, ticket))
        parts = []
        if place.proxied or place.direct:
            parts.append('<iframe src="%s" title="Vigil" width="100%%" height="%d" style="border: 1px solid #8888; border-radius: 6px" allow="clipboard-write"></iframe>' % (url, self._height))
        parts.append('<p>Vigil: <a href="%s" target="_blank" rel="noopener">the dashboard</a> of <code>%s</code>, until the kernel ends</p>' % (url, html.escape(program.about["root"])))
        parts += ["<p>%s</p>" % html.escape(note) for note in self._notes()]
        return "\n".join(parts)


def _path(run, page):
    """The part of the page's address that names a run and a page."""
    if run is None:
        return page or ""
    return "runs/%s%s" % (quote(str(run), safe=""), "/" + page if page else "")


def _program(root, flags):
    """The one that was started with the same flags and lives, or a new one."""
    key = (os.path.abspath(root) if root else os.getcwd(), bool(root), tuple(flags))
    program = _open.get(key)
    if program is not None and not program.ended():
        return program
    binary = _agent.find_binary()
    if binary is None:
        raise Cannot("the vigil program was not found (put it on the PATH, or set VIGIL_BIN)")
    command = [binary, "ui"] + ([os.path.abspath(root)] if root else []) + flags + ["--beside", "--json"]
    if not _open:
        _fork.on_child(_forked)
    _open[key] = Program(command)
    return _open[key]
