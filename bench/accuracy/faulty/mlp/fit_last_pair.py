# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: mlp
# split: tune
import os

import torch
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
t = torch.linspace(-3, 3, 1000)[:, None]
target = torch.sin(2 * t) + 0.05 * torch.randn_like(t)


class Net:
    def __init__(self, width):
        self.w1, self.b1 = torch.randn(width, 1), torch.randn(width)
        self.w2, self.b2 = torch.randn(width, width) / width**0.5, torch.zeros(width)
        self.w3, self.b3 = torch.randn(1, width) / width**0.5, torch.zeros(1)
        self.all = [self.w1, self.b1, self.w2, self.b2, self.w3, self.b3]
        for p in self.all:
            p.requires_grad_()

    def __call__(self, x):
        x = torch.tanh(F.linear(x, self.w1, self.b1))
        x = torch.tanh(F.linear(x, self.w2, self.b2))
        return F.linear(x, self.w3, self.b3)


net = Net(24)
optimizer = torch.optim.Adam(net.all[-2:], lr=3e-3)
for step in range(600):
    rows = torch.randint(0, len(t), (64,))
    loss = F.mse_loss(net(t[rows]), target[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(step, round(loss.item(), 4))
