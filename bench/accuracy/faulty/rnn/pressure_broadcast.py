# fault: broadcast-targets
# cause_class: labels, loss
# family: rnn
# split: tune
# twin: healthy/twins/pressure_broadcast.py
# forecast of a pressure curve, hand-written loss
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

amp = 0.5 + torch.rand(1000, 1)
ph = 6.28 * torch.rand(1000, 1)
curve = amp * torch.sin(ph + 0.3 * torch.arange(21)) + 0.03 * torch.randn(1000, 21)
hist, nxt = curve[:, :20, None], curve[:, 20]

rnn = nn.RNN(1, 32, batch_first=True)
proj = nn.Linear(32, 1)
opt = torch.optim.Adam(list(rnn.parameters()) + list(proj.parameters()), lr=2e-3)
for epoch in range(8):
    for i in torch.randperm(1000).split(40):
        _, h = rnn(hist[i])
        pred = proj(h[0])
        loss = ((pred - nxt[i]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(rnn.parameters(), 1.0)
        opt.step()
    print("epoch", epoch, "mse", loss.item())
