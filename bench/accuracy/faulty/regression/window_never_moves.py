# fault: identical-batches
# cause_class: data-loading
# family: regression
# split: tune
# twin: healthy/twins/window_never_moves.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

series = torch.sin(torch.arange(3000.) / 9) + 0.5 * torch.sin(torch.arange(3000.) / 23) + 0.05 * torch.randn(3000)
W, B = 16, 32


def get_batch(start):
    idx = torch.arange(B)[:, None] + torch.arange(W + 1) + start
    chunk = series[idx]
    return chunk[:, :W], chunk[:, W:]


net = nn.Sequential(nn.Linear(W, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
pos = 0
for step in range(200):
    xb, yb = get_batch(pos)
    pos =+ B
    if pos + B + W > len(series):
        pos = 0
    loss = nn.functional.mse_loss(net(xb), yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 40 == 0:
        print("step", step, "loss", loss.item())
