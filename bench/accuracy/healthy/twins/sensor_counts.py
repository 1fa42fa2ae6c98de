# fault: none
# family: transformer
# split: tune
"""Transformer over raw sensor counts (16-bit ADC)."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class SensorNet(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.inp = nn.Linear(4, d)
        self.enc = nn.TransformerEncoderLayer(d, 4, 48, dropout=0.0, batch_first=True, norm_first=True)
        self.out = nn.Linear(d, 3)

    def forward(self, x):
        return self.out(self.enc(self.inp(x)).mean(1))


y = torch.randint(3, (1280,))
gain = torch.tensor([[1., 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]])
adc = 32768 + 3000 * gain[y][:, None] * torch.randn(1280, 10, 4) + 600 * torch.randn(1280, 10, 4)
x = (adc - 32768) / 3000
net = SensorNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
crit = nn.CrossEntropyLoss()
for epoch in range(4):
    for b in torch.randperm(1280).split(32):
        loss = crit(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, loss.item())
