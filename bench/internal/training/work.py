"""The workloads of the overhead benchmark: plain PyTorch training on random data.

Usage: work.py WORKLOAD WARMUP [PEER OUT]

It trains WARMUP steps, says {} on standard output, and then waits for its
turns: each line of standard input is a number of steps, and "all" where the
first of them count, too. After each turn it
writes, as a line of JSON, the wall seconds of every step and the wall and CPU
seconds of all of them (this process with all threads, children not counted),
and at the end of the input the loss of every step, so that runs can be
compared. It knows nothing of Vigil. With PEER one of those in peers.py is
attached, which writes into the folder OUT. With BENCH_DEVICE in the environment
the workloads are those of gpu.py; wall seconds are then a turn's, which ends
when the device is done, shared out evenly to its steps.
"""

import contextlib
import json
import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    """Two 3x3 convolutions with a shortcut (He et al., 2015)."""

    def __init__(self, channels_in, channels_out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels_in, channels_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels_out)
        self.conv2 = nn.Conv2d(channels_out, channels_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels_out)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = nn.Identity()
        if stride != 1 or channels_in != channels_out:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels_in, channels_out, 1, stride, bias=False), nn.BatchNorm2d(channels_out)
            )

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + self.shortcut(x))


class ResNet18(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.pool = nn.MaxPool2d(3, 2, 1)
        stages, width = [], 64
        for i, channels in enumerate((64, 128, 256, 512)):
            stages.append(nn.Sequential(Block(width, channels, 1 if i == 0 else 2), Block(channels, channels, 1)))
            width = channels
        self.stages = nn.Sequential(*stages)
        self.fc = nn.Linear(512, classes)

    def forward(self, x):
        x = self.stages(self.pool(self.relu(self.bn1(self.conv1(x)))))
        return self.fc(x.mean((2, 3)))


class Bottleneck(nn.Module):
    """A 3x3 convolution between two of 1x1, with a shortcut (He et al., 2015)."""

    def __init__(self, channels_in, width, stride):
        super().__init__()
        channels = 4 * width
        self.conv1 = nn.Conv2d(channels_in, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, channels, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = nn.Identity()
        if stride != 1 or channels_in != channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels_in, channels, 1, stride, bias=False), nn.BatchNorm2d(channels)
            )

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn3(self.conv3(self.relu(self.bn2(self.conv2(y)))))
        return self.relu(y + self.shortcut(x))


class ResNet50(ResNet18):
    def __init__(self, classes=10):
        super().__init__()
        stages, channels = [], 64
        for i, (width, blocks) in enumerate(zip((64, 128, 256, 512), (3, 4, 6, 3))):
            for k in range(blocks):
                stages.append(Bottleneck(channels, width, 2 if i and k == 0 else 1))
                channels = 4 * width
        self.stages = nn.Sequential(*stages)
        self.fc = nn.Linear(channels, classes)


class Transformer(nn.Module):
    def __init__(self, vocabulary=1000, d=256, layers=4, length=128):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d)
        self.position = nn.Parameter(torch.zeros(length, d))
        layer = nn.TransformerEncoderLayer(d, 8, 4 * d, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(d, vocabulary)

    def forward(self, x):
        return self.head(self.encoder(self.embedding(x) + self.position))


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def workload(name):
    """Model, optimiser and a function that draws a batch."""
    if name == "resnet18":
        model = ResNet18()
        optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        return model, optimiser, lambda g: (torch.randn(32, 3, 32, 32, generator=g), torch.randint(10, (32,), generator=g))
    if name == "resnet50":
        model = ResNet50()
        optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        return model, optimiser, lambda g: (torch.randn(8, 3, 64, 64, generator=g), torch.randint(10, (8,), generator=g))
    if name in ("mlp128", "mlp16"):
        batch = int(name[3:])
        model = mlp()
        optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
        return model, optimiser, lambda g: (torch.randn(batch, 784, generator=g), torch.randint(10, (batch,), generator=g))
    if name == "transformer":
        model = Transformer()
        optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4)

        def draw(g):
            tokens = torch.randint(1000, (8, 129), generator=g)
            return tokens[:, :-1], tokens[:, 1:]

        return model, optimiser, draw
    raise SystemExit("work.py: unknown workload %r" % name)


def main():
    name, warmup, peer = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    # smdebug writes its log to standard output, which the answers have for themselves.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    gpu = None
    if "BENCH_DEVICE" in os.environ:
        import gpu

        model, optimiser, draw = gpu.workload(name, ResNet50)
        model = gpu.prepared(model)
    else:
        model, optimiser, draw = workload(name)
    batches = [draw(generator) for _ in range(8)]
    losses = []
    after = close = around = None
    if peer:
        import peers

        after, close, *more = peers.attach(peer[0], model, peer[1])
        around = more[0] if more else None

    def step():
        if around is None:
            train()
        else:
            with around():
                train()
        if after is not None:
            after(losses[-1])

    def train():
        x, y = batches[len(losses) % len(batches)]
        optimiser.zero_grad()
        with gpu.autocast() if gpu is not None else contextlib.nullcontext():
            scores = model(x)
            loss = F.cross_entropy(scores.flatten(0, -2), y.flatten())
        loss.backward()
        optimiser.step()
        losses.append(loss.item() if gpu is None else loss.detach())

    for _ in range(warmup):
        step()
    print("{}", file=answers, flush=True)
    for line in sys.stdin:
        n, *all = line.split()
        n = int(n)
        # The first steps after a rest find cold caches; they are not measured.
        for _ in range(0 if all else 1 + n // 20):
            step()
        walls = []
        if gpu is not None:
            gpu.wait()
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(n):
            begin = time.perf_counter()
            step()
            walls.append(time.perf_counter() - begin)
        if gpu is not None:
            gpu.wait()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        if gpu is not None:
            walls = [wall / n] * n
        print(json.dumps({"walls": walls, "cpu": cpu, "wall": wall}), file=answers, flush=True)
    if close is not None:
        close()
    print(json.dumps([float(loss) for loss in losses] + (gpu.digest(model) if gpu is not None else [])), file=answers, flush=True)


if __name__ == "__main__":
    main()
