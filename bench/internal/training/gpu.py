"""The workloads for a GPU: a network whose step takes about 1 ms, ResNet-50 on 224x224 images in batches of 64, and a transformer of GPT-2's size.

They compute in bfloat16 by autocast, with BENCH_NUMBERS=float32 in that, and
with BENCH_NUMBERS=compiled in bfloat16 by torch.compile. BENCH_DETERMINISTIC
is "all" for deterministic operations only, "cudnn" for those of cuDNN alone.
With BENCH_DEVICE=tiny they are shrunk to a size that the CPU trains in
milliseconds, which tests the benchmark and measures nothing.
"""

import contextlib
import hashlib
import os

import torch
import torch.nn.functional as F
from torch import nn

TINY = os.environ["BENCH_DEVICE"] == "tiny"
DEVICE = torch.device("cpu" if TINY else "cuda")
NUMBERS = os.environ.get("BENCH_NUMBERS", "bfloat16")
DETERMINISTIC = os.environ.get("BENCH_DETERMINISTIC", "")
if DETERMINISTIC:
    torch.backends.cudnn.deterministic = True
    torch.use_deterministic_algorithms(DETERMINISTIC == "all")


class Block(nn.Module):
    """A layer of GPT-2 (Radford et al., 2019)."""

    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attention, self.projection = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        n, length, d = x.shape
        q, k, v = (t.view(n, length, self.heads, -1).transpose(1, 2) for t in self.attention(self.ln_1(x)).split(d, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.projection(y.transpose(1, 2).reshape(n, length, d))
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class GPT2(nn.Module):
    """124 million parameters; the head shares the embedding's weights."""

    def __init__(self, vocabulary=50257, d=768, layers=12, heads=12, length=1024):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, d), nn.Embedding(length, d)
        self.blocks = nn.Sequential(*[Block(d, heads) for _ in range(layers)])
        self.ln_f = nn.LayerNorm(d)
        self.head = nn.Linear(d, vocabulary, bias=False)
        self.head.weight = self.tokens.weight
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, x):
        at = torch.arange(x.shape[1], device=x.device)
        return self.head(self.ln_f(self.blocks(self.tokens(x) + self.positions(at))))


def workload(name, resnet50):
    """Model, optimiser and a function that draws a batch on the device; resnet50: the class of that model."""
    if name == "resnet50-224":
        model = resnet50(classes=1000).to(DEVICE)
        optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        n, side = (2, 32) if TINY else (64, 224)

        def draw(g):
            return torch.randn(n, 3, side, side, generator=g).to(DEVICE), torch.randint(1000, (n,), generator=g).to(DEVICE)

    elif name == "gpt2":
        size = {"vocabulary": 500, "d": 64, "layers": 2, "heads": 2, "length": 32} if TINY else {}
        model = GPT2(**size).to(DEVICE)
        optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4)
        n, length, vocabulary = (2, 32, 500) if TINY else (8, 1024, 50257)

        def draw(g):
            tokens = torch.randint(vocabulary, (n, length + 1), generator=g).to(DEVICE)
            return tokens[:, :-1], tokens[:, 1:]

    elif name == "mlp":
        d, layers, n = (32, 2, 16) if TINY else (512, 12, 256)
        model = nn.Sequential(*[part for _ in range(layers) for part in (nn.Linear(d, d), nn.ReLU())], nn.Linear(d, 10)).to(DEVICE)
        optimiser = torch.optim.SGD(model.parameters(), lr=0.01)

        def draw(g):
            return torch.randn(n, d, generator=g).to(DEVICE), torch.randint(10, (n,), generator=g).to(DEVICE)

    else:
        raise SystemExit("gpu.py: unknown workload %r" % name)
    return model, optimiser, draw


def wait():
    """Until the device has done all it was given."""
    if not TINY:
        torch.cuda.synchronize()


def autocast():
    return contextlib.nullcontext() if NUMBERS == "float32" else torch.autocast(DEVICE.type, torch.bfloat16)


def prepared(model):
    return torch.compile(model) if NUMBERS == "compiled" else model


def digest(model):
    """Of the weights of a deterministic training, as a number."""
    if not DETERMINISTIC:
        return []
    values = hashlib.sha256()
    for p in model.parameters():
        values.update(p.detach().cpu().view(-1).view(torch.uint8).numpy().tobytes())
    return [int(values.hexdigest()[:12], 16)]
