"""The Tracker's part that the script calls (vigil.torch.Hook and vigil.log)."""

import threading
import time

import torch

from vigil import _strings, _wire
from vigil._torch import compat, device, names, parameter_frames

_now = time.perf_counter_ns
_thread = threading.get_ident


class Control(object):
    """Mixed into Tracker."""

    def register_module(self, module):
        self.settle()
        if not isinstance(module, torch.nn.Module):
            raise TypeError("register module: got %s, not a torch.nn.Module" % type(module).__name__)
        if self.closed:
            return
        before = len(self.roots)
        if any(r.inner() is names.unwrap(module) for r in self.roots):
            return
        self._add_root(module)
        if self.session is not None:
            taken = {id(e.tensor()) for e in self.publisher.frames.entries if not e.grad}
            for root in self.roots[before:]:
                self.publisher.announce(root, self._owner_of, taken)
            self.publisher.frames.apply()

    def register_loss(self, criterion):
        self.settle()
        if not isinstance(criterion, torch.nn.Module):
            raise TypeError(
                'register loss: got %s, not a torch.nn.Module; for a function call hook.save_scalar("loss", value)' % type(criterion).__name__
            )
        self.losses.watch(criterion)

    def set_mode(self, mode):
        self.settle()
        self.mode = mode

    def collection(self, fields):
        self.settle()
        if self.session is not None:
            self.session.collection(**fields)
        else:
            self.waiting_collections.append(fields)

    def save_scalar(self, name, value):
        self._record({name if name == "loss" else "scalar/" + str(name): value})

    def log(self, values, step=None):
        """vigil.log: numbers of the present step; with a step also under the script's own count."""
        if self.closed:
            return
        self._record(values)
        if step is not None and self.session is not None:
            self._numbers(values, (int(step), _wire.GLOBAL, int(step)), True)

    def evaluated(self, loss):
        """A trainer tells the loss of the evaluation that is over: it is that of its last step, where no step showed one."""
        step = self.open
        if step is None or step.mode != _wire.EVAL or step.own_loss is not None:
            return
        if self.eval_loss_told or not self.eval_loss_seen and not self.functions.known() and not any(out.mode == _wire.EVAL for out in self.losses.fired):
            self.eval_loss_told = True
            self._record({"loss": loss})

    def _record(self, values):
        """Record numbers at the open step; between steps, at the one that closed last."""
        self.settle()
        if not self._begin_session():
            return
        step = self.open
        if "loss" in values and step is not None:
            from vigil._messages import to_number
            from vigil._torch.deferred_values import Mean

            values = dict(values)
            step.own_loss = step.own_loss or Mean()
            step.own_loss.add(to_number(values.pop("loss")))
            self.functions.logged = self.functions.logged or step.mode == _wire.EVAL
        if step is not None:
            self._numbers(values, self.publisher.at(step), False)
            return
        if "loss" in values and self.has_loss:
            values = dict(values)
            values["scalar/loss"] = values.pop("loss")  # the step has a loss of its own
        self.publisher.flush(True)
        self._numbers(values, self.last_closed, True)

    def _numbers(self, values, at, free):
        """Many numbers go as one record, through the memory that is the training thread's alone; few, and those of other threads, one by one."""
        if self.thread != _thread() or not self.session.batch(tuple(values), values, *at, free=free, shared=True):
            self.session.metrics(values, *at, free=free)

    def save_tensor(self, name, value, collections=None):
        """Values of the open step; between steps, of the one that closed last."""
        self.settle()
        if not self._begin_session():
            return
        strings = None if isinstance(value, torch.Tensor) else _strings.of(value)
        if strings is not None:
            self._save_strings(name, strings, collections)
            return
        try:
            tensor = value if isinstance(value, torch.Tensor) else torch.as_tensor(value)
        except Exception:
            self.session.not_taken(name, value, "saved value of type %s is not a tensor")
            return
        tensor = tensor.detach()
        reason = compat.why_not(tensor)
        if reason is None and tensor.layout is not torch.strided:
            tensor = compat.dense(tensor)
            reason = "sparse tensor" if tensor is None else None
        if reason is not None:
            self.session.missing([(name, reason, 1)])
            return
        shape = tuple(tensor.shape)
        self.session.joins(name, collections)
        known = self.custom.get(name)
        if known is None and ("strings", name) in self.custom:
            self.session.missing([(name, "numbers under the name of strings", 1)])
            return
        if known is None:
            info = {"name": name, "kind": "custom", "dtype": compat.DTYPE_NAMES[tensor.dtype], "shape": list(shape)}
            known = self.custom[name] = (self.session.announce_tensors([info])[0], shape)
        if known[0] is None:
            return
        shape_id = 0 if known[1] == shape else self.session.shape_id(shape)
        if self.open is not None:
            self.publisher.frames.send(known[0], tensor, shape_id, self.publisher.at(self.open), force_raw=True)
        elif not device.capturing(tensor):
            if self.session._next_plan is not None and self.publisher.take_plan():
                self.publisher.reschedule(self.counter.modes)
            self.publisher.flush(True)
            parameter_frames.send(self.session, known[0], tensor.cpu(), shape_id, self.last_closed, force_raw=True, between=True)

    def _save_strings(self, name, strings, collections):
        self.session.joins(name, collections)
        ready = _strings.prepare(self.session, self.custom, name, strings)
        if ready is None:
            return
        if self.open is not None:
            _strings.send(self.session, *ready, self.publisher.at(self.open), force_raw=True)
            return
        if self.session._next_plan is not None and self.publisher.take_plan():
            self.publisher.reschedule(self.counter.modes)
        self.publisher.flush(True)
        _strings.send(self.session, *ready, self.last_closed, force_raw=True, between=True)

    def _begin_session(self):
        """Whether there is a session; a script that uses the control calls gets one before it trains."""
        if self.session is None and not self.refused and self.start_agent and self._connect():
            self._announce_all()
        return self.session is not None

    def close(self):
        """Finish for good."""
        if self.closed:
            return
        self.settle()
        session = self.session
        if session is not None:
            session.bye()
        self.closed = True
        self.functions.ends()
        self.marks.close()
        self.session = None
        self.refused = True
        self.discovery.stop()
        self.activations.detach()
        for root in self.roots:
            root.unhook()
