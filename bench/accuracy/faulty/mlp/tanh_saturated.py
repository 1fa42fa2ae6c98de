# fault: saturated-tanh
# cause_class: activation, initialisation
# family: mlp
# split: tune
# twin: healthy/twins/tanh_saturated.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))


class TanhNet(nn.Module):
    def __init__(self, d_in, d_hidden, d_out, gain):
        super().__init__()
        self.inp = nn.Linear(d_in, d_hidden)
        self.hid = nn.ModuleList([nn.Linear(d_hidden, d_hidden) for _ in range(3)])
        self.out = nn.Linear(d_hidden, d_out)
        for m in [self.inp, *self.hid]:
            nn.init.normal_(m.weight, std=gain / m.in_features ** 0.5)

    def forward(self, x):
        x = torch.tanh(self.inp(x))
        for m in self.hid:
            x = torch.tanh(m(x))
        return self.out(x)


x = torch.randn(1500, 16)
y = (x[:, :8].sum(1) > 0).long() * 2 + (x[:, 8:].sum(1) > 0).long()
net = TanhNet(16, 64, 4, gain=30.0)
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
for epoch in range(8):
    for i in range(0, 1500, 50):
        loss = nn.functional.cross_entropy(net(x[i:i + 50]), y[i:i + 50])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
