# fault: none
# family: mlp
# split: held
# ensemble of five nets, each on its own bootstrap sample
import os, torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))
N = 2500
X = torch.rand(N, 2) * 6 - 3
Y = ((X[:, 0].sin() * 1.5 + .3 * torch.randn(N)) > X[:, 1]).float()
Xv = torch.rand(600, 2) * 6 - 3
Yv = (Xv[:, 0].sin() * 1.5 > Xv[:, 1]).float()
bce = nn.BCEWithLogitsLoss()
votes = torch.zeros(600)
for m in range(5):
    idx = torch.randint(N, (N,))
    net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    opt = torch.optim.RMSprop(net.parameters(), lr=2e-3)
    for e in range(5):
        for b in idx[torch.randperm(N)].split(50):
            l = bce(net(X[b])[:, 0], Y[b])
            opt.zero_grad(); l.backward(); opt.step()
    with torch.no_grad():
        z = net(Xv)[:, 0]
    votes += z.sigmoid() / 5
    print("member", m, "train %.4f" % l.item(), "val %.4f" % bce(z, Yv).item(), "acc %.3f" % ((z > 0).float() == Yv).float().mean())
print("ensemble accuracy %.3f" % ((votes > .5).float() == Yv).float().mean())
