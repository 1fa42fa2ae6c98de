# fault: none
# family: mlp
# split: held
import os, random, torch
from torch import nn
seed = int(os.environ.get("SEED", 0)); random.seed(seed); torch.manual_seed(seed)

def point():
    k = random.randrange(3)
    c = [(0, 1.6), (1.4, -0.8), (-1.4, -0.8)][k]
    return torch.tensor([[random.gauss(c[0], .5), random.gauss(c[1], .5)]]), torch.tensor([k])

net = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.02)
ce = nn.CrossEntropyLoss()
test = [point() for _ in range(400)]
tx, ty = torch.cat([t[0] for t in test]), torch.cat([t[1] for t in test])
run = 1.1
for i in range(1, 2001):
    x, y = point()
    opt.zero_grad()
    loss = ce(net(x), y)
    loss.backward()
    opt.step()
    run = .99 * run + .01 * loss.item()
    if i % 200 == 0:
        with torch.no_grad(): o = net(tx)
        print("sample", i, "running loss %.4f" % run, "test loss %.4f" % ce(o, ty), "test acc %.3f" % (o.argmax(1) == ty).float().mean())
