# fault: constant-output
# cause_class: activation, initialisation
# family: cnn
# split: tune
# twin: healthy/twins/dead_bias.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))


def init(m):
    if isinstance(m, (nn.Conv2d, nn.Linear)):
        nn.init.kaiming_normal_(m.weight)
        nn.init.constant_(m.bias, -10.0)


shapes = (torch.rand(3, 1, 8, 8) > 0.5).float()
lab = torch.randint(3, (900,))
pics = shapes[lab] - 0.5 + 0.4 * torch.randn(900, 1, 8, 8)
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(128, 3))
model.apply(init)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(5):
    for b in torch.randperm(900).split(30):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(pics[b]), lab[b])
        loss.backward()
        opt.step()
    print("epoch", epoch, loss.item())
