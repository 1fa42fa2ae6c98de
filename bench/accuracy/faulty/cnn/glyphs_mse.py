# fault: class-labels-into-mse
# cause_class: loss
# family: cnn
# split: tune
# twin: healthy/twins/glyphs_mse.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))


def glyphs(n):
    y = torch.randint(0, 5, (n,))
    x = 0.4 * torch.randn(n, 1, 12, 12)
    for i, c in enumerate(y.tolist()):
        o = torch.randint(0, 3, (1,)).item()
        if c == 0:
            x[i, 0, 3 + o, :] += 1
        elif c == 1:
            x[i, 0, :, 3 + o] += 1
        elif c == 2:
            x[i, 0].diagonal(o).add_(1)
        elif c == 3:
            x[i, 0, 2 + o:7 + o, 2 + o:7 + o] += 0.7
        else:
            x[i, 0].flip(1).diagonal(o).add_(1)
    return x, y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 16, 5)
        self.fc = nn.Linear(16 * 16, 5)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        return self.fc(x.flatten(1))


x, y = glyphs(1000)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(6):
    for b in torch.randperm(1000).split(40):
        guess = net(x[b]).max(dim=1).values
        loss = F.mse_loss(guess, y[b].float())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", loss.item())
