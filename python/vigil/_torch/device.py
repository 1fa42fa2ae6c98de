"""What capture needs of a device: memory put aside, pinned memory, copies that nobody waits for.

``of(tensor)`` gives the device of a tensor that is to be captured this way, None
for one that the CPU reads itself. Cuda is the device meant. Host does the same
for tensors of the CPU at once, so that all that is built on a device can run
where there is none: with VIGIL_DEVICE=cpu in the environment the CPU's tensors
are treated as a device's. Blind is a device whose values nobody can have: with
VIGIL_DEVICE=meta a training on the meta device shows that no step waits for a
value, because whatever asks for one fails.
"""

import os
import time

import torch

HOST = os.environ.get("VIGIL_DEVICE") == "cpu"
BLIND = os.environ.get("VIGIL_DEVICE") == "meta"
ASIDE = 512 << 20  # bytes of a device's memory that hold values on their way, at most
PINNED = 1 << 30  # bytes of pinned memory, at most


class Cuda(object):
    """A CUDA device (or ROCm's, which calls itself the same)."""

    def __init__(self, device):
        self.device = device
        self.side = None  # the stream that copies to the host
        self.stream = None  # the current one, as of the last event
        self.put_aside = 0  # bytes
        self.cramped = False  # it was out of memory once: none of it is taken any more

    def capturing(self):
        """Whether the current stream records a CUDA graph: then nothing may be copied, allocated or waited for."""
        return torch.cuda.is_current_stream_capturing()

    def mark(self):
        """A place in the current stream's work, for ``between``."""
        event = torch.cuda.Event(enable_timing=True)
        event.record(torch.cuda.current_stream(self.device))
        return event

    def may_ask(self):
        """Whether events may be looked at: not while a graph is recorded."""
        return not torch.cuda.is_current_stream_capturing()

    def event(self, free):
        """An event, of those that are free if there are any, in the current stream; None while it records a graph."""
        if torch.cuda.is_current_stream_capturing():
            return None
        event = free.pop() if free else torch.cuda.Event(enable_timing=True)
        stream = self.stream
        if stream is None or stream.cuda_stream != torch._C._cuda_getCurrentRawStream(stream.device_index):
            stream = self.stream = torch.cuda.current_stream(self.device)
        event.record(stream)
        return event

    def between(self, first, last):
        """Seconds of the device's time between two marks; waits for the second, which comes right behind work that is done."""
        last.synchronize()
        return first.elapsed_time(last) * 1e-3

    def pinned(self, nbytes):
        return torch.empty(nbytes, dtype=torch.uint8, pin_memory=True)

    def bring(self, pairs):
        """Begin to copy (target, source) pairs, from memory put aside on the device to pinned memory; the event that comes when they are there.

        The side stream waits for what the current one was given so far, which
        made the values; the current stream does not wait for the side stream,
        because what was put aside is nobody else's. record_stream keeps the
        memory from being given to another until the copy is done.
        """
        if self.side is None:
            self.side = torch.cuda.Stream(self.device)
        self.side.wait_stream(torch.cuda.current_stream(self.device))
        event = torch.cuda.Event()
        with torch.cuda.stream(self.side):
            for target, source in pairs:
                target.copy_(source, non_blocking=True)
                source.record_stream(self.side)
            event.record(self.side)
        return event

    def bring_from(self, pairs):
        """The same straight from the training's tensors: on the current stream, so that the update that changes them comes after the copy."""
        for target, source in pairs:
            target.copy_(source, non_blocking=True)
        event = torch.cuda.Event()
        event.record(torch.cuda.current_stream(self.device))
        return event


class Host(object):
    """The CPU in the place of a device."""

    def __init__(self, device):
        self.device = device
        self.put_aside = 0
        self.cramped = False

    def capturing(self):
        return False

    def mark(self):
        return None

    def may_ask(self):
        return True

    def event(self, free):
        return _Passed()

    def between(self, first, last):
        return 0.0  # the hook has counted it as its own time

    def pinned(self, nbytes):
        return torch.empty(nbytes, dtype=torch.uint8, device="cpu")

    def bring(self, pairs):
        for target, source in pairs:
            target.copy_(source)
        return _There

    bring_from = bring


class Blind(Host):
    """The meta device in the place of one: what is brought from it is zeros."""

    def pinned(self, nbytes):
        return torch.zeros(nbytes, dtype=torch.uint8, device="cpu")

    def bring(self, pairs):
        return _There

    bring_from = bring


class _There(object):
    """The event of a copy that is done already."""

    query = staticmethod(lambda: True)
    synchronize = staticmethod(lambda: None)


class _Passed(object):
    """An event of the CPU: it is passed at once."""

    def __init__(self):
        self.at = time.perf_counter()

    def query(self):
        return True

    def elapsed_time(self, later):
        return 1e3 * (later.at - self.at)


class Pool(object):
    """Pinned memory, which is dear to get: given out again by size, and never more than PINNED of it."""

    def __init__(self):
        self.free = {}  # (kind of device, bytes) -> list of tensors
        self.total = 0
        self.most = PINNED

    def take(self, device, nbytes):
        """A pinned uint8 tensor, or None beyond the bound. RuntimeError when the machine has no more."""
        nbytes = max((nbytes + 4095) & -4096, 4096)
        free = self.free.get((type(device), nbytes))
        if free:
            return free.pop()
        if self.total + nbytes > self.most:
            self.clear()
            if self.total + nbytes > self.most:
                return None
        memory = device.pinned(nbytes)
        self.total += nbytes
        return memory

    def give(self, device, memory):
        """Nothing writes or reads it any more."""
        self.free.setdefault((type(device), memory.numel()), []).append(memory)

    def clear(self):
        """Let go of what nobody uses: other sizes are needed now."""
        self.total -= sum(nbytes * len(free) for (_, nbytes), free in self.free.items())
        self.free = {}


_devices = {}


def of(tensor):
    """The device that a tensor's values are brought from, or None."""
    if not far(tensor) and not (HOST and tensor.device.type == "cpu"):
        return None
    found = _devices.get(tensor.device)
    if found is None:
        found = _devices[tensor.device] = (Cuda if tensor.is_cuda else Blind if BLIND else Host)(tensor.device)
    return found


def far(tensor):
    """Whether reading a value of a tensor makes the script wait for a device."""
    return tensor.is_cuda or (BLIND and tensor.is_meta)


def valueless(tensor):
    """Whether a tensor is of the meta device, and has no values."""
    return tensor.is_meta and not BLIND


def here(tensor):
    """A tensor on the CPU, after a wait: for what has no other way, and is not of every step."""
    return torch.zeros_like(tensor, device="cpu") if BLIND and tensor.is_meta else tensor.cpu()


def capturing(tensor):
    """Whether a CUDA tensor is met while its stream records a graph: its values do not exist then."""
    return tensor.is_cuda and torch.cuda.is_current_stream_capturing()


def recording():
    """Whether this thread's stream records a CUDA graph."""
    return torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()


_left = []


def leave(*what):
    """In a forked child: never free what belongs to the parent's device, which the child must not call."""
    if _devices:
        _left.append(what)


def there():
    """Whether this process works with a device."""
    return HOST or BLIND or torch.cuda.is_initialized()
