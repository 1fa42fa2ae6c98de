"""Tensors of the open step that are in the ring already.

The output of a module is mostly the input of the next one, and a container's
output is that of its last module: a tensor that comes again unchanged is
pointed to a second time and not copied. It is known by the Python object, which
is held weakly, so that no memory of the training is kept, and by PyTorch's count
of the changes in place, which sees all of them but those made behind its back
(through ``.data`` or numpy).
"""

import collections
import weakref

from vigil._torch import compat

KEPT = 8  # tensors between two uses of one; a residual block needs about as many


class SentTensors(object):
    """The latest tensors that were copied, of one step."""

    __slots__ = ("last",)

    def __init__(self):
        self.last = collections.deque(maxlen=KEPT)

    def clear(self):
        self.last.clear()

    def note(self, tensor, place):
        """``tensor`` was copied to ``place`` (of Session.whole)."""
        try:
            self.last.appendleft((weakref.ref(tensor), tensor._version, tensor.data_ptr(), place))
        except Exception:
            pass  # tensors of inference mode do not count changes

    def again(self, session, id, tensor, shape_id, at):
        """Whether ``tensor`` lies in the ring and was published again from there; ``at`` is (step, mode, mode step)."""
        for ref, version, address, place in self.last:
            if ref() is tensor:
                if tensor._version != version or tensor.data_ptr() != address:
                    return False
                return session.again(place, id, compat.DTYPE_CODES[tensor.dtype], shape_id, compat.nbytes(tensor), at[0], at[1], at[2])
        return False
