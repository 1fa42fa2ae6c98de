# fault: axes-mixed-up
# cause_class: structure, data-loading
# family: rnn
# split: held
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def keystrokes(n, length=16):
    """Holding and flight times while a PIN is typed; label: did the rhythm slow down in the second half?"""
    speed = 1 + 0.6 * torch.randn(n, 1, 1)
    y = torch.randint(0, 2, (n,))
    trend = torch.linspace(-1, 1, length)[None, :, None] * (y.float()[:, None, None] * 2 - 1) * 0.5
    x = speed + trend + 0.6 * torch.randn(n, length, 2)
    return (x - x.mean()) / x.std(), y


class RhythmNet(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.lstm = nn.LSTM(input_size=2, hidden_size=hidden, num_layers=1)
        self.head = nn.Sequential(nn.Linear(hidden, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.head(out[:, -1, :])


def accuracy(net, loader):
    net.eval()
    with torch.no_grad():
        r = [(net(x).argmax(1) == y).float().mean().item() for x, y in loader]
    net.train()
    return sum(r) / len(r)


train = DataLoader(TensorDataset(*keystrokes(1600)), batch_size=32, shuffle=True)
test = DataLoader(TensorDataset(*keystrokes(320)), batch_size=32)
net = RhythmNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(8):
    tot = 0.0
    for x, y in train:
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        tot += loss.item()
    print(f"epoch {epoch} loss {tot / len(train):.4f} test acc {accuracy(net, test):.3f}")
