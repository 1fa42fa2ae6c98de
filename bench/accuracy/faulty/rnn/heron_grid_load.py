# fault: output-range
# cause_class: output-activation, data-scaling
# family: rnn
# split: tune
"""Load of a small grid, one step ahead, from the hours before. Standardised units."""
import math
import os

import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)


def synthetic_load(days=400):
    t = torch.arange(days * 12).float()
    daily = torch.sin(2 * math.pi * t / 12)
    weekly = torch.sign(torch.sin(2 * math.pi * t / 84))
    peak = (daily.clamp(min=0) ** 4) * 5 * (1 + 0.4 * weekly)
    noise = torch.zeros_like(t)
    for i in range(1, len(t)):
        noise[i] = 0.8 * noise[i - 1] + 0.15 * torch.randn(())
    load = 10 + daily + peak + noise
    calendar = torch.stack([torch.sin(2 * math.pi * t / 12), torch.cos(2 * math.pi * t / 12), weekly], -1)
    return load, calendar


class Forecaster(nn.Module):
    def __init__(self, n_in, hidden=32):
        super().__init__()
        self.encoder = nn.LSTM(n_in, hidden, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.readout = nn.LSTM(hidden, 1, batch_first=True)

    def forward(self, window):
        states, _ = self.encoder(window)
        out, _ = self.readout(self.drop(states))
        return out[:, -1, 0]


load, calendar = synthetic_load()
cut = int(0.8 * len(load))
mean, std = load[:cut].mean(), load[:cut].std()
z = (load - mean) / std
frames = torch.cat([z.unsqueeze(-1), calendar], -1)
W = 24
starts = torch.arange(0, cut - W - 1)
test_starts = torch.arange(cut, len(z) - W - 1, 3)


def windows(at):
    return torch.stack([frames[s:s + W] for s in at.tolist()]), z[at + W]


model = Forecaster(frames.shape[1])
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 200, 0.5)
crit = nn.MSELoss()
xt, yt = windows(test_starts)
for step in range(450):
    x, y = windows(starts[torch.randint(0, len(starts), (48,))])
    loss = crit(model(x), y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    opt.step()
    sched.step()
    if step % 75 == 74:
        model.eval()
        with torch.no_grad():
            p = model(xt)
            err = crit(p, yt)
        model.train()
        print(f"{step + 1} train {loss.item():.3f} test {err.item():.3f} rmse {err.sqrt().item() * std.item():.2f} MW")
