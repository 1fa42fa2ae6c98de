# fault: none
# family: spiking
# split: tune
# Spiking neurons: outputs are 0 or 1 and mostly 0; the derivative is a surrogate.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return (v > 0).float()

    @staticmethod
    def backward(ctx, g):
        (v,) = ctx.saved_tensors
        return g / (1 + 10 * v.abs()) ** 2


class LIF(nn.Module):
    def __init__(self, n_in, n):
        super().__init__()
        self.fc = nn.Linear(n_in, n)
        self.decay = 0.85

    def forward(self, x):
        v = torch.zeros(x.shape[1], self.fc.out_features)
        out = []
        for t in range(x.shape[0]):
            v = self.decay * v + self.fc(x[t])
            s = Spike.apply(v - 1.0)
            v = v - s.detach()
            out.append(s)
        return torch.stack(out)


class SNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = LIF(20, 64)
        self.read = nn.Linear(64, 4)

    def forward(self, x):
        s = self.hidden(x)
        self.rate = s.mean().item()
        return self.read(s).mean(0)


rates = torch.rand(4, 20) * 0.5
model = SNN()
nn.init.normal_(model.hidden.fc.weight, std=0.5)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
ce = nn.CrossEntropyLoss()
hist = []
for step in range(150):
    y = torch.randint(0, 4, (32,))
    x = torch.bernoulli(rates[y].expand(15, -1, -1))
    loss = ce(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    hist.append(loss.item())
print(f"firing rate {model.rate:.3f}")
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
