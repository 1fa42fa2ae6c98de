# fault: regression-targets-into-classification-loss
# cause_class: loss, labels
# family: rnn
# split: tune
# twin: healthy/twins/load_ce.py
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


# grid load of three stations, next hour from the last twelve
def series(n, steps=13):
    base = torch.rand(n, 1, 3) * 6.28
    t = torch.arange(steps).float()[None, :, None]
    speed = torch.tensor([0.26, 0.35, 0.5])
    load = torch.sin(base + speed * t) + 0.05 * torch.randn(n, steps, 3)
    return load[:, :-1], load[:, -1]


lstm = nn.LSTM(3, 24, batch_first=True)
readout = nn.Linear(24, 3)
params = list(lstm.parameters()) + list(readout.parameters())
opt = torch.optim.Adam(params, lr=0.01)
criterion = nn.CrossEntropyLoss()
for step in range(200):
    x, target = series(32)
    seq, _ = lstm(x)
    pred = readout(seq[:, -1, :])
    loss = criterion(pred, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0:
        print("step", step, "loss", loss.item())
