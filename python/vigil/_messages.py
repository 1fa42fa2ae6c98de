"""What a hook says on the socket: names, facts, notices."""

import struct

from vigil import _guard, _wire

_CHUNK = 2000  # tensors or modules per message
_MOST_BATCHES, _MOST_IN_BATCH = 256, 2000  # sets of names that are logged together, and names in one of them
_COLLECTIONS = 1000  # that are said of a session; an agent takes 200
_PLAIN = frozenset((float, int, bool))

FEW = 4  # numbers that go one by one
FACTS = 1  # version of what facts mean: internal/record/facts.go


class Words(object):
    """The part of a Session that sends messages. Needs of the rest: alive, scalar, _hello, _link, _lock, _tensors, _shapes, _metrics, _defined, _joined, _provenance."""

    @_guard.guard
    def announce_modules(self, root, modules):
        """The module tree. root: class name of the root; modules: list of (path, type, order)."""
        if not self.alive:
            return
        items = [{"path": str(m[0]), "type": str(m[1]), "order": int(m[2])} for m in modules]
        for i in range(0, max(len(items), 1), _CHUNK):
            self._link.send({"t": "modules", "root": root, "modules": items[i : i + _CHUNK]}, keep=True)

    @_guard.guard
    def announce_tensors(self, infos):
        """Give every tensor (a dict: name, kind, dtype, shape, module, ...) an id, and tell the agent.

        Returns the ids, in order; None for those beyond the limit of a session.
        """
        if not self.alive:
            return [None] * len(infos)
        items, ids, over, cut = [], [], 0, 0
        with self._lock:
            for info in infos:
                if self._tensors >= _wire.MAX_TENSORS:
                    over += 1
                    ids.append(None)
                    continue
                item = {k: v for k, v in info.items() if v is not None}
                item["id"] = self._tensors
                item["name"], was_cut = _wire.cut_name(str(info.get("name", "")))
                cut += was_cut
                if "shape" in item:
                    item["shape"] = [int(n) for n in item["shape"]]
                ids.append(self._tensors)
                self._tensors += 1
                items.append(item)
            for i in range(0, len(items), _CHUNK):
                self._link.send({"t": "tensors", "tensors": items[i : i + _CHUNK]}, keep=True, more=i + _CHUNK < len(items))
        if over:
            self.missing([("*", "more than %d tensors in one process" % _wire.MAX_TENSORS, over)])
        if cut:
            self.missing([("*", "name longer than %d bytes, truncated" % _wire.MAX_NAME, cut)])
        return ids

    def shape_id(self, shape):
        """The id of a shape, to go with a record whose shape is not the announced one. 0 when there is none to have."""
        key = tuple(shape)
        found = self._shapes.get(key)
        if found is not None:
            return found
        return self._new_shape(key) or 0

    @_guard.guard
    def _new_shape(self, key):
        with self._lock:
            if not self.alive or len(self._shapes) >= _wire.MAX_SHAPES - 1:
                return 0
            key = tuple(int(n) for n in key)
            number = self._shapes.setdefault(key, len(self._shapes) + 1)
            self._link.send({"t": "shapes", "shapes": [{"id": number, "shape": list(key)}]}, keep=True)
            return number

    @_guard.guard
    def facts(self, facts, said):
        """What was understood of the training: an object for machines and one line for people."""
        if self.alive:
            self._hello["facts"] = True  # a later agent waits for them before it judges
            self._link.send({"t": "facts", "facts": facts, "said": said}, key="facts")

    @_guard.guard
    def provenance(self, fields):
        """What this process is made of: python, path, devices, seeds, deterministic, config. It adds to what was said before."""
        if self.alive and fields:
            self._provenance.update(fields)
            self._link.send(dict(self._provenance, t="provenance"), key="provenance")

    @_guard.guard
    def loader(self, number, facts):
        """The settings of a loader of the script, under the number that a mark names it by."""
        if self.alive:
            self._link.send({"t": "loader", "id": number, "facts": facts}, keep=True)

    @_guard.guard
    def compiler(self, facts):
        """How the framework's compiler stands: sums since the process began."""
        if self.alive:
            self._link.send({"t": "compiler", "facts": facts})

    @_guard.guard
    def missing(self, entries):
        """What is not captured: (name, reason, count), counted since the last call."""
        items = [{"name": _wire.cut_name(str(n))[0], "reason": str(r), "count": int(c)} for n, r, c in entries]
        if items and self.alive:
            self._link.send({"t": "missing", "missing": items})

    @_guard.guard
    def notice(self, level, text, hint=""):
        """A line for the user; level info, warning or error."""
        if self.alive:
            self._link.send({"t": "notice", "level": level, "text": text, "hint": hint})

    @_guard.guard
    def collection(self, **fields):
        """A collection that the script defines: name, regex, names, every, start, end, steps, mode, raw, hist, median, prod.

        The agent adds up what is said of one name, so the next agent is told all of it.
        """
        message = {k: v for k, v in fields.items() if v is not None}
        for k in ("regex", "names"):
            if isinstance(message.get(k), str):
                message[k] = [message[k]]
        message["t"] = "collection"
        key = _wire.dumps(message)
        if self.alive and key not in self._defined and len(self._defined) < _COLLECTIONS:
            self._defined.add(key)
            self._link.send(message, keep=True)

    def joins(self, name, collections):
        """The tensor that the script saves under ``name`` belongs to collections: one name or several. What they ask for stays as it is."""
        for collection in [collections] if isinstance(collections, str) else collections or ():
            key = collection, name
            if key not in self._joined:
                self._joined.add(key)
                if self.alive:
                    self._link.send({"t": "collection", "name": str(collection), "names": [name], "joins": True}, key="joins %s %s" % key)

    @_guard.guard
    def metrics(self, values, step, mode, mode_step, free=False):
        """Publish numbers by name, announcing new names; what is no number is reported as missing, once."""
        if not self.alive:
            return
        known = self._metrics
        for name, value in values.items():
            try:
                number = to_number(value)
            except Exception:
                self.not_taken(name, value, "logged value of type %s is not a number")
                continue
            id = known.get(name)
            if id is None:
                id = known[name] = (self.announce_tensors([_number(name)]) or [None])[0]
            if id is not None:
                self.scalar(id, step, mode, mode_step, number, free)

    def not_taken(self, name, value, why):
        """What the script gave under ``name`` cannot be kept: reported as missing, once."""
        if name not in self._bad_metrics:
            self._bad_metrics.add(name)
            self.missing([(name, why % type(value).__name__, 1)])

    def batch(self, names, values, step, mode, mode_step, free=False, shared=False):
        """Publish the numbers of a dict, whose keys are names, as one record; False when they have to go one by one, with metrics.

        Only for one thread: that whose tensors go through the free area too, if any do (shared). Where these have
        filled it the numbers are not lost, they go one by one.
        """
        try:
            if len(names) < FEW or not self.alive or type(values) is not dict:
                return False
            known = self._batches.get(names)
            if known is None:
                known = self._batches[names] = self._new_batch(names) or (0, 0, None)
            id, nbytes, pack = known
            area = self._division.area
            if pack is None or nbytes > area.bytes or (shared and not area.room(nbytes)):
                return False
            numbers = values.values()
            if not _PLAIN.issuperset(map(type, numbers)):
                numbers = [to_number(v) for v in numbers]
            offset = area.alloc(nbytes)
            if offset is None:
                self.drop(id, len(names), _wire.FULL, step, mode, mode_step)
                return True
            n = None
            try:
                pack(self.buffer, offset, *numbers)
                n = self._put(7, mode, 0, 1 if free else 0, id, step, mode_step, offset, nbytes, 0.0, 0)
                if n is None:
                    self.ring.count(_wire.FULL, len(names) - 1)  # the ring counts the record
            finally:
                area.publish(offset, n)
            return True
        except Exception:
            return False  # something is no number: metrics says what

    @_guard.guard
    def _new_batch(self, names):
        """(first id, bytes, function that packs) of names that are logged together, or None."""
        if len(self._batches) >= _MOST_BATCHES or len(names) > _MOST_IN_BATCH:
            return None
        ids = self.announce_tensors([_number(n) for n in names])
        if not ids or ids[-1] is None or ids[-1] - ids[0] != len(ids) - 1:
            return None
        self._metrics.update(zip(names, ids))
        return ids[0], 8 * len(ids), struct.Struct("<%dd" % len(ids)).pack_into


def _number(name):
    """How a number that the script gives is announced: under the name ``loss`` it is the loss."""
    return {"name": str(name), "kind": "loss" if name == "loss" else "scalar", "dtype": "F64", "shape": []}


def to_number(value):
    """The float of a number, or of anything that holds one element (a tensor, a numpy scalar)."""
    if isinstance(value, (int, float)):
        return float(value)
    item = getattr(value, "item", None)
    return float(item() if callable(item) else value)
