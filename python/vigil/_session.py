"""One training process's connection to the agent."""


class Session(object):
    """What a hook holds: the plan, the ring to publish in, and the socket.

    No method raises (strict mode excepted) and none waits longer than its
    bounded wait. ``alive`` is False once the session is of no further use: the
    agent refused, the process forked, or too many errors came.

    Attributes a hook reads: ``alive``, ``plan`` (vigil._plan.Plan in force),
    ``run`` (path), ``worker`` (name), ``buffer`` (writable memoryview of the
    data area; offsets in layouts and from alloc index it), ``address`` (its
    address in memory). It writes ``step_seconds`` (median step, for the
    bounded wait).
    """

    @classmethod
    def connect(cls, framework, version, rank=0, local_rank=0, world=1, start=False, dir=None, name=None):
        """Connect to the agent named by VIGIL_SOCKET; with start, start one if there is none. None: inert."""

    def new_plan(self):
        """The plan that came since the last call, already set as ``plan``, or None. Costs an attribute check."""

    def announce_modules(self, root, modules):
        """root: class name; modules: list of (path, type, order)."""

    def announce_tensors(self, infos):
        """Give each dict (name, kind, dtype, shape, module, ...) an id; sends them; returns the ids."""

    def shape_id(self, shape):
        """The id of a shape that differs from the announced one."""

    def scalar(self, id, step, mode, mode_step, value, free=False):
        """Publish one number. True when there was room."""

    def layout(self, entries):
        """entries: list of (tensor id, bytes). A Layout, or None when the frame does not fit the ring."""

    def alloc(self, nbytes, wait_s=None):
        """Offset of nbytes in the free area, or None. Follow with tensor(...) or free(offset)."""

    def free(self, offset):
        """Give an alloc back that will not be published."""

    def tensor(self, id, dtype, shape, offset, nbytes, step, mode, mode_step, force_raw=False):
        """Publish what was copied to offset (from alloc). dtype: code of docs/protocol.md 6; shape: shape id."""

    def big(self, id, dtype, shape, nbytes, copy, step, mode, mode_step, force_raw=False, wait_s=None):
        """Publish a tensor larger than the free area in pieces; copy(offset, start, n) copies bytes start..start+n of it to buffer[offset:]."""

    def step(self, step, mode, mode_step, seconds, overhead_ns, skipped=False):
        """Close a step."""

    def drop(self, id, n, reason, step, mode, mode_step):
        """Say that n values were not captured; reason: vigil._wire.FULL, BREAKER, TOO_LARGE, ERROR."""

    def metrics(self, values, step, mode, mode_step, free=False):
        """Publish a dict of name to number, announcing new names as kind "scalar"."""

    def facts(self, facts, said):
        """facts: JSON object; said: one line."""

    def missing(self, entries):
        """entries: list of (name, reason, count)."""

    def notice(self, level, text, hint=""):
        """A line for the user; level info, warning or error."""

    def collection(self, **fields):
        """A collection defined by the script: name, regex, names, every, start, end, steps, mode, raw, hist."""

    def bye(self, steps=None, overhead=None):
        """The hook closes; counts are the session's own unless given. Called at exit by itself."""
