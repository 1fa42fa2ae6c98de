# fault: none
# family: ssl
# split: tune
# Two augmentations, sharpened guesses and a mixup, as in the reference implementation of MixMatch.
import os, copy, math, random, torch, torch.nn as nn, torch.nn.functional as F
seed = int(os.environ.get('SEED', '0'))
torch.manual_seed(seed)
random.seed(seed)
net = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), lr=0.002)
C = torch.randn(4, 20) * 1.5
ly = torch.arange(4).repeat(16)
lx = C[ly] + torch.randn(64, 20)
vx_y = torch.arange(4).repeat(32)
vx = C[vx_y] + torch.randn(128, 20)
for epoch in range(4):
    net.train()
    for i in range(40):
        j = torch.randint(0, 64, (32,))
        x, t = (lx[j] + 0.1 * torch.randn(32, 20), F.one_hot(ly[j], 4).float())
        u = C[torch.randint(0, 4, (32,))] + torch.randn(32, 20)
        u1, u2 = (u + 0.1 * torch.randn_like(u), u + 0.1 * torch.randn_like(u))
        with torch.no_grad():
            p = (torch.softmax(net(u1), 1) + torch.softmax(net(u2), 1)) / 2
            q = p ** 2
            q = (q / q.sum(1, keepdim=True)).detach()
        X, T = (torch.cat([x, u1, u2]), torch.cat([t, q, q]))
        l = max(random.betavariate(0.75, 0.75), 0.25)
        l = max(l, 1 - l)
        k = torch.randperm(len(X))
        mx, mt = (l * X + (1 - l) * X[k], l * T + (1 - l) * T[k])
        out = net(mx)
        lx_, lu = (-(F.log_softmax(out[:32], 1) * mt[:32]).sum(1).mean(), ((torch.softmax(out[32:], 1) - mt[32:]) ** 2).mean())
        loss = lx_ + 5 * epoch / 4 * lu
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        acc = (net(vx).argmax(1) == vx_y).float().mean()
