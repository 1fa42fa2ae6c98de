"""Which tensors are found in what a module is given and gives back, and in which order: the order of their numbers (``_output_<i>``)."""

import collections
import dataclasses

import pytest
import torch

from vigil._torch.activations import tensors

A, B, C = torch.tensor(1.0), torch.nn.Parameter(torch.tensor(2.0)), torch.tensor(3)


@dataclasses.dataclass
class Answer(object):
    logits: torch.Tensor
    hidden: tuple = ()
    loss: torch.Tensor = None


class Output(collections.OrderedDict):
    """As transformers have it: a mapping whose entries are attributes too."""

    def __init__(self, **fields):
        super().__init__(fields)
        self.__dict__.update(fields)


Pair = collections.namedtuple("Pair", "left right")


class Batch(object):
    """A mapping by its methods."""

    def __init__(self, data):
        self.data = data

    def keys(self):
        return self.data.keys()

    def __getitem__(self, key):
        return self.data[key]


class Opaque(object):
    def __init__(self):
        self.hidden = A


packed = torch.nn.utils.rnn.pack_sequence([torch.ones(3), torch.ones(2)])
deep = A
for _ in range(20):
    deep = [deep]


@pytest.mark.parametrize(
    "value, found",
    [
        (A, [A]),
        (B, [B]),  # a class of its own, and a tensor
        ((A, B), [A, B]),
        ([B, [A, (C,)]], [B, A, C]),
        ({"b": B, "a": A}, [B, A]),
        ({"x": {"y": [A]}, 1: B}, [A, B]),
        (Pair(A, right=B), [A, B]),
        (Output(logits=A, states=(B, C)), [A, B, C]),
        (Answer(A, (B, C)), [A, B, C]),
        (Answer(A, loss=C), [A, C]),
        (Batch({"ids": C, "mask": None}), [C]),
        ([A, A], [A, A]),  # the same one twice
        ((None, 1, 2.5, "text", b"bytes", True, A), [A]),
        (([A, B], {"mask": C}), [A, B, C]),  # arguments and keyword arguments
        (packed, [packed.data]),
        ((), []),
        (None, []),
        (Opaque(), []),
        (object(), []),
        (Answer, []),  # the class itself
        (deep, []),  # beyond any use, and not without end
    ],
    ids=lambda value: type(value).__name__,
)
def test_tensors(value, found):
    got = list(tensors(value))
    assert len(got) == len(found) and all(a is b for a, b in zip(got, found))
