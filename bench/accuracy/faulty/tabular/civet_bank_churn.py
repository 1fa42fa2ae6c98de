# fault: softmax-one-unit
# cause_class: output-activation, structure
# family: tabular
# split: held
# churn_final_v3.py  -- bank customers, entity embeddings + numeric block
import os, numpy as np, torch
import torch.nn as nn

SEED = int(os.getenv("SEED", 0))
np.random.seed(SEED); torch.manual_seed(SEED)

# ---------------------------------------------------------------- data
n = 4000
age = np.random.normal(44, 12, n).clip(18, 90)
balance = np.random.lognormal(9, 1.2, n)
tenure = np.random.poisson(5, n)
products = np.random.randint(1, 5, n)
country = np.random.randint(0, 3, n)
active = np.random.rand(n) < 0.55
segment = np.random.randint(0, 6, n)
z = (0.06 * (age - 44) + 0.9 * (products >= 3) - 1.3 * active + 0.8 * (country == 2)
     + 0.5 * np.sin(tenure) - 0.35 * (np.log(balance) - 9) + 0.9 * (segment == 4) * (country == 1))
churn = (z + np.random.logistic(0, 0.5, n) > 0.2).astype("float32")
num = np.stack([age, np.log1p(balance), tenure, active.astype(float)], 1)
num = (num - num.mean(0)) / num.std(0)
cat = np.stack([products - 1, country, segment], 1)

perm = np.random.permutation(n)
trn, val = perm[:3200], perm[3200:]
Xn = torch.tensor(num, dtype=torch.float32)
Xc = torch.tensor(cat)
y = torch.tensor(churn).unsqueeze(1)


# ---------------------------------------------------------------- model
class TabNetish(nn.Module):
    def __init__(self, cards=(4, 3, 6), n_num=4):
        super().__init__()
        self.embs = nn.ModuleList(nn.Embedding(c, 4) for c in cards)
        self.bn = nn.BatchNorm1d(n_num)
        self.body = nn.Sequential(
            nn.Linear(4 * len(cards) + n_num, 64), nn.ReLU(), nn.BatchNorm1d(64), nn.Dropout(0.2),
            nn.Linear(64, 32), nn.ReLU(), nn.Dropout(0.1),
            nn.Linear(32, 1),
        )
        self.prob = nn.Softmax(dim=1)

    def forward(self, xn, xc):
        e = [emb(xc[:, i]) for i, emb in enumerate(self.embs)]
        return self.prob(self.body(torch.cat(e + [self.bn(xn)], 1)))


net = TabNetish()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
sch = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=2)
bce = nn.BCELoss()


def auc(p, t):
    order = p.argsort()
    ranks = torch.empty_like(p); ranks[order] = torch.arange(1, len(p) + 1, dtype=p.dtype)
    npos = t.sum(); nneg = len(t) - npos
    return ((ranks[t == 1].sum() - npos * (npos + 1) / 2) / (npos * nneg)).item()


# ---------------------------------------------------------------- fit
for ep in range(8):
    net.train()
    order = np.random.permutation(trn)
    losses = []
    for i in range(0, len(order), 64):
        j = order[i:i + 64]
        loss = bce(net(Xn[j], Xc[j]), y[j])
        opt.zero_grad(); loss.backward(); opt.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        p = net(Xn[val], Xc[val])
        vl = bce(p, y[val]).item()
    sch.step(vl)
    acc = ((p > 0.5).float() == y[val]).float().mean().item()
    print("epoch %2d | train %.4f | val %.4f | acc %.3f | auc %.3f" % (ep, np.mean(losses), vl, acc, auc(p.flatten(), y[val].flatten())))
