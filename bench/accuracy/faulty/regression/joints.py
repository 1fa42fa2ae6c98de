# fault: regression-targets-into-classification-loss
# cause_class: loss, labels, output-activation
# family: regression
# split: held
# set: otter, unseen
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
LOSSES = {"position": nn.MSELoss, "grip": nn.CrossEntropyLoss}


class Arm:
    """inverse kinematics of a planar arm, joint angles from the hand's position"""

    def __init__(self, links=(1.0, 0.8, 0.5)):
        self.links = torch.tensor(links)

    def sample(self, n):
        q = torch.randn(n, 3) * 0.5
        a = q.cumsum(1)
        xy = torch.stack([(self.links * a.cos()).sum(1), (self.links * a.sin()).sum(1), a[:, -1]], 1)
        return xy, q / 0.5


class Runner:
    def __init__(self, task):
        self.net = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
        self.loss = LOSSES[task]()
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=1e-3)

    def step(self, x, q):
        self.opt.zero_grad()
        loss = self.loss(self.net(x), q)
        loss.backward()
        self.opt.step()
        return loss.item()

    @torch.no_grad()
    def error(self, x, q):
        return (self.net(x) - q).abs().mean().item()


arm = Arm()
runner = Runner("grip")
val = arm.sample(400)
for k in range(500):
    l = runner.step(*arm.sample(64))
    if k % 50 == 0:
        print(f"step {k} loss {l:.4f} mean abs error {runner.error(*val):.4f}")
