# fault: none
# family: cnn
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))


class LeNetish(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 6, 3)
        self.c2 = nn.Conv2d(6, 12, 3)
        self.f1 = nn.Linear(12 * 2 * 2, 32)
        self.f2 = nn.Linear(32, 6)
        for m in self.modules():
            if hasattr(m, "weight"):
                nn.init.kaiming_uniform_(m.weight, nonlinearity="relu")
                nn.init.constant_(m.bias, 0.0)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.f2(F.relu(self.f1(x.flatten(1))))


sym = torch.rand(6, 1, 14, 14).round()
y = torch.randint(6, (900,))
x = sym[y] - 0.5 + 0.5 * torch.randn(900, 1, 14, 14)
model = LeNetish()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(6):
    for b in torch.randperm(900).split(30):
        loss = F.cross_entropy(model(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
