# fault: none
# family: recommender
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
U, I = 200, 300
pu, pi = torch.randn(U, 4), torch.randn(I, 4)
score = pu @ pi.t()
likes = score.topk(40, dim=1).indices
is_liked = torch.zeros(U, I, dtype=torch.bool).scatter_(1, likes, True)
train, test = likes[:, torch.randperm(40)].split([32, 8], 1)


class MF(nn.Module):
    def __init__(self, d=12):
        super().__init__()
        self.u, self.i, self.b = nn.Embedding(U, d, sparse=True), nn.Embedding(I, d, sparse=True), nn.Embedding(I, 1, sparse=True)
        nn.init.normal_(self.u.weight, std=0.1)
        nn.init.normal_(self.i.weight, std=0.1)
        nn.init.zeros_(self.b.weight)

    def forward(self, u, i):
        return (self.u(u) * self.i(i)).sum(1) + self.b(i).squeeze(1)


m = MF()
opt = torch.optim.Adagrad(m.parameters(), lr=0.1)
run = []
for step in range(500):
    u = torch.randint(0, U, (256,))
    pos, neg = train[u, torch.randint(0, 32, (256,))], torch.randint(0, I, (256,))
    loss = -F.logsigmoid(m(u, pos) - m(u, neg)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    run.append(loss.item())
    if step % 100 == 99:
        with torch.no_grad():
            u, neg = torch.arange(U).repeat_interleave(8), torch.randint(0, I, (U * 8,))
            ok = ~is_liked[u, neg]
            auc = (m(u, test.flatten()) > m(u, neg))[ok].float().mean()
        print(f"{step + 1} loss {sum(run[-100:]) / 100:.4f} held-out AUC {auc:.3f}")
