# fault: inputs-not-scaled
# cause_class: data-scaling
# family: rnn
# split: held
import os
import math
import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)


def weather(n, steps=24):
    """Station readings: pressure [Pa], temperature [K], humidity [%]; will it rain in the next hours?"""
    trend = torch.randn(n, 1)
    t = torch.linspace(0, 1, steps)
    pressure = 101325 + 180 * trend * t + 40 * torch.randn(n, steps) + 300 * torch.randn(n, 1)
    temp = 285 + 5 * torch.randn(n, 1) + 4 * torch.sin(2 * math.pi * t + torch.rand(n, 1) * 6.28)
    swing = torch.randn(n, 1)
    humid = 60 + 10 * swing * t + 3 * torch.randn(n, steps)
    y = (-trend + swing > 0).float().squeeze(1)
    return torch.stack([pressure, temp, humid], dim=-1), y


class RainLSTM(nn.Module):
    def __init__(self, n_in=3, hidden=32):
        super().__init__()
        self.lstm = nn.LSTM(n_in, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        return self.fc(h[-1]).squeeze(1)


x_train, y_train = weather(1500)
x_test, y_test = weather(400)
net = RainLSTM()
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)

for epoch in range(12):
    order = torch.randperm(1500)
    total = 0.0
    for i in range(0, 1500, 50):
        idx = order[i:i + 50]
        optimizer.zero_grad()
        loss = loss_fn(net(x_train[idx]), y_train[idx])
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        acc = ((net(x_test) > 0).float() == y_test).float().mean()
    print(f"epoch {epoch + 1:2d} loss {total / 30:.4f} test accuracy {acc:.3f}")
