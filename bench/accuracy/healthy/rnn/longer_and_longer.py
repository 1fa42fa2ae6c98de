# fault: none
# family: rnn
# split: held
"""Count the ones; the sequences get longer during training."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(1, 24, batch_first=True)
        self.fc = nn.Linear(24, 1)

    def forward(self, x):
        return self.fc(self.gru(x)[0][:, -1]).squeeze(-1)


def batch(n, length):
    p = torch.rand(n, 1)
    x = (torch.rand(n, length) < p).float()
    return x.unsqueeze(-1), x.sum(1) / 8 - 0.5


net = Counter()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
step = 0
for length in (4, 6, 9, 12, 16):
    xv, yv = batch(400, length)
    for _ in range(120):
        x, y = batch(32, length)
        loss = ((net(x) - y) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        step += 1
        if step % 60 == 0:
            with torch.no_grad():
                v = ((net(xv) - yv) ** 2).mean().item()
            print(f"length {length} step {step} loss {loss.item():.5f} val {v:.5f} (variance {yv.var().item():.3f})")
