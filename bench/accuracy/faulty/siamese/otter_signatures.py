# fault: not-finite
# cause_class: non-finite, loss
# family: siamese
# split: held
import os, random
import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

writers = torch.randn(20, 24)
bank = [[w + 0.4 * torch.randn(24) for _ in range(12)] for w in writers]


def draw_pair():
    same = random.random() < 0.5
    a = random.randrange(20)
    b = a if same else random.choice([k for k in range(20) if k != a])
    return random.choice(bank[a]), random.choice(bank[b]), float(same)


def draw_batch(n=8):
    l, r, s = zip(*(draw_pair() for _ in range(n)))
    return torch.stack(l), torch.stack(r), torch.tensor(s)


class Signature(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 16))

    def forward(self, a, b):
        d2 = (self.net(a) - self.net(b)).pow(2).sum(1)
        return d2.sqrt()


def contrastive(dist, same, margin=2.0):
    pull = same * dist.pow(2)
    push = (1 - same) * (margin - dist).clamp(min=0).pow(2)
    return (pull + push).mean()


model = Signature()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for it in range(600):
    a, b, s = draw_batch()
    loss = contrastive(model(a, b), s)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 60 == 0:
        print(f"{it:4d} contrastive {loss.item():.4f}")
