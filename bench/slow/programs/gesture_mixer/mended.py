import argparse
import time

import torch
from torch import nn

parser = argparse.ArgumentParser(description="Recognises gestures in the traces of a wrist sensor")
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--batch-size", type=int, default=48)
parser.add_argument("--width", type=int, default=32)
parser.add_argument("--depth", type=int, default=4)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--threads", type=int, default=torch.get_num_threads())
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

torch.manual_seed(args.seed)
torch.set_num_threads(args.threads)

GESTURES, STEPS, CHANNELS = 10, 64, 6


def record(n):
    """Each gesture is a sum of two movements per channel, done at a pace of one's own."""
    g = torch.Generator().manual_seed(77)
    pace = 1 + 2 * torch.rand(GESTURES, CHANNELS, 2, generator=g)
    shift = 6.28 * torch.rand(GESTURES, CHANNELS, 2, generator=g)
    y = torch.randint(GESTURES, (n,))
    t = torch.linspace(0, 3.14, STEPS).view(1, STEPS, 1, 1) * (0.85 + 0.3 * torch.rand(n, 1, 1, 1))
    x = torch.sin(pace[y].unsqueeze(1) * t * 2 + shift[y].unsqueeze(1)).sum(-1)
    return x + 0.7 * torch.randn_like(x), y


class Mixer(nn.Module):
    """Mixes along time, then along channels."""

    def __init__(self, width, drop=0.1):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.time = nn.Sequential(nn.Linear(STEPS, STEPS), nn.GELU(), nn.Dropout(drop), nn.Linear(STEPS, STEPS))
        self.norm2 = nn.LayerNorm(width)
        self.channels = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(drop), nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.time(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class GestureNet(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = nn.Linear(CHANNELS, width)
        self.blocks = nn.Sequential(*[Mixer(width) for _ in range(depth)])
        self.out = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, GESTURES))

    def forward(self, x):
        return self.out(self.blocks(self.inp(x)).mean(1))


x_train, y_train = record(3840)
x_test, y_test = record(512)
model = GestureNet(args.width, args.depth)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
loss_fn = nn.CrossEntropyLoss()

begin = time.time()
for epoch in range(1, args.epochs + 1):
    model.train()
    for idx in torch.randperm(len(x_train)).split(args.batch_size):
        loss = loss_fn(model(x_train[idx]), y_train[idx])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.eval()
    with torch.inference_mode():
        acc = (model(x_test).argmax(-1) == y_test).float().mean().item()
    print(f"epoch {epoch}/{args.epochs} loss {loss.item():.4f} test accuracy {acc:.3f} ({time.time() - begin:.1f} s)")
