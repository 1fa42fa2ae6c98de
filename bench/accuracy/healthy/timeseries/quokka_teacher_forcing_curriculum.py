# fault: none
# family: timeseries
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Seq2Seq(nn.Module):
    def __init__(self, h=24):
        super().__init__()
        self.enc, self.dec, self.out = nn.GRU(1, h, batch_first=True), nn.GRUCell(1, h), nn.Linear(h, 1)

    def forward(self, past, steps, truth=None, p=0.0):
        h, cur, outs = self.enc(past)[1][0], past[:, -1], []
        for k in range(steps):
            h = self.dec(cur, h)
            o = cur + self.out(h)
            outs.append(o)
            cur = truth[:, k] if truth is not None and torch.rand(()) < p else o
        return torch.stack(outs, 1)


def waves(n):
    t = torch.arange(20).float()
    f, ph = 0.3 + 0.4 * torch.rand(n, 1), 6.28 * torch.rand(n, 1)
    s = (torch.sin(f * t + ph) + 0.05 * torch.randn(n, 20)).unsqueeze(2)
    return s[:, :14], s[:, 14:]


net = Seq2Seq()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
val = waves(200)
for step in range(400):
    past, future = waves(32)
    horizon = 2 + min(4, step // 60)
    loss = nn.functional.mse_loss(net(past, horizon, future, max(0.0, 1 - step / 250)), future[:, :horizon])
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    if step % 50 == 49:
        with torch.no_grad():
            print(step + 1, f"{loss.item():.4f}", "free running %.4f" % nn.functional.mse_loss(net(val[0], 6), val[1]))
