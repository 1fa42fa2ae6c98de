# fault: one-class-cross-entropy
# cause_class: structure, loss, output-activation
# family: rnn
# split: held
import os
import math
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

# normal beats against ones with a late second wave
def beats(n):
    t = torch.linspace(0, 1, 24)
    ill = torch.randint(0, 2, (n, 1)).float()
    first = torch.exp(-((t - 0.3) / 0.04) ** 2)
    shift = 0.55 + 0.2 * ill + 0.03 * torch.randn(n, 1)
    second = 0.6 * torch.exp(-((t - shift) / 0.06) ** 2)
    return (first + second + 0.08 * torch.randn(n, 24)).unsqueeze(-1), ill

X, Y = beats(1200)
XV, YV = beats(300)

class GRUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(1, 24, batch_first=True)
        self.fc = nn.Linear(24, 1)
    def forward(self, x):
        o, _ = self.gru(x)
        return self.fc(o.mean(1))

m = GRUNet()
criterion = nn.CrossEntropyLoss()
opt = torch.optim.Adam(m.parameters(), lr=3e-3)
for epoch in range(16):
    perm = torch.randperm(1200)
    l = 0
    for j in range(0, 1200, 40):
        b = perm[j:j + 40]
        opt.zero_grad()
        loss = criterion(m(X[b]), Y[b])
        loss.backward()
        nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        opt.step()
        l += loss.item()
    with torch.no_grad():
        o = m(XV)
        print("epoch", epoch, "loss", l / 30, "val", criterion(o, YV).item(), "acc", ((o > 0).float() == YV).float().mean().item())
