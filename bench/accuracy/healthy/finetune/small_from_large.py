# fault: none
# family: finetune
# split: held
# knowledge distillation: large net first, then a small one from its soft answers
import os
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get('SEED', 0)))

K = 6
means = torch.randn(K, 2, 14)          # each class has two modes
def get(n):
    y = torch.randint(K, (n,))
    return means[y, torch.randint(2, (n,))] + .6 * torch.randn(n, 14), y

big = nn.Sequential(nn.Linear(14, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, K))
small = nn.Sequential(nn.Linear(14, 32), nn.ReLU(), nn.Linear(32, K))
xv, yv = get(800)

o = torch.optim.Adam(big.parameters(), 1e-3)
for i in range(400):
    x, y = get(64)
    l = F.cross_entropy(big(x), y)
    o.zero_grad(); l.backward(); o.step()
big.eval().requires_grad_(False)
print('teacher', F.cross_entropy(big(xv), yv).item(), (big(xv).argmax(1) == yv).float().mean().item())

T = 3.0
o = torch.optim.Adam(small.parameters(), 3e-3)
for i in range(1, 801):
    x, y = get(64)
    z = small(x)
    soft = F.kl_div(F.log_softmax(z / T, 1), F.softmax(big(x) / T, 1), reduction='batchmean') * T * T
    l = .9 * soft + .1 * F.cross_entropy(z, y)
    o.zero_grad(); l.backward(); o.step()
    if i % 80 == 0:
        with torch.no_grad(): z = small(xv)
        print('student', i, 'loss', round(l.item(), 4), 'val', round(F.cross_entropy(z, yv).item(), 4), 'acc', round((z.argmax(1) == yv).float().mean().item(), 3))
