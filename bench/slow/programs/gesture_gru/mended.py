import argparse
import time

import torch
from torch import nn

parser = argparse.ArgumentParser(description="Recognises gestures in the traces of a wrist sensor")
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--hidden", type=int, default=96)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--threads", type=int, default=torch.get_num_threads())
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

torch.manual_seed(args.seed)
torch.set_num_threads(args.threads)

GESTURES, STEPS, CHANNELS = 10, 60, 6


def record(n):
    """Each gesture is a sum of two movements per channel, done at a pace of one's own."""
    g = torch.Generator().manual_seed(77)
    pace = 1 + 2 * torch.rand(GESTURES, CHANNELS, 2, generator=g)
    shift = 6.28 * torch.rand(GESTURES, CHANNELS, 2, generator=g)
    y = torch.randint(GESTURES, (n,))
    t = torch.linspace(0, 3.14, STEPS).view(1, STEPS, 1, 1) * (0.85 + 0.3 * torch.rand(n, 1, 1, 1))
    x = torch.sin(pace[y].unsqueeze(1) * t * 2 + shift[y].unsqueeze(1)).sum(-1)
    return x + 0.7 * torch.randn_like(x), y


class GestureNet(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.inp = nn.Sequential(nn.Linear(CHANNELS, hidden), nn.LayerNorm(hidden), nn.GELU())
        self.rnn = nn.GRU(hidden, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Sequential(nn.LayerNorm(2 * hidden), nn.Linear(2 * hidden, GESTURES))

    def forward(self, x):
        h, _ = self.rnn(self.inp(x))
        return self.out(h.mean(1))


x_train, y_train = record(3072)
x_test, y_test = record(512)
model = GestureNet(args.hidden)
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
