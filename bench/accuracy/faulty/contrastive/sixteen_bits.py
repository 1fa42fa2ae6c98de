# fault: no-gradient
# cause_class: not-updated, structure
# family: contrastive
# split: tune
# set: skua, unseen
import os, torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))
cent = torch.randn(10, 40)

class Hasher(nn.Module):
    """16-bit codes for retrieval; a small classifier reads them."""
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(40, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 16))
        self.classify = nn.Linear(16, 10)

    def codes(self, x):
        return torch.sign(self.trunk(x))

    def forward(self, x):
        return self.classify(self.codes(x))

net = Hasher()
opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9, weight_decay=1e-4)
for step in range(500):
    y = torch.randint(0, 10, (64,))
    x = cent[y] + 1.2 * torch.randn(64, 40)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 100 == 99: print(step, loss.item())
