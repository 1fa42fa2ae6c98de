# fault: mostly-padding
# cause_class: data-loading, structure
# family: transformer
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

PAD, V, D = 0, 30, 24
LEN = 96


def batch(n):
    y = torch.randint(4, (n,))
    ids = torch.zeros(n, LEN, dtype=torch.long)
    for i in range(n):
        k = torch.randint(3, 7, (1,)).item()
        ids[i, :k] = torch.randint(5, V, (k,))
        ids[i, torch.randint(k, (1,))] = 1 + y[i]
    return ids, y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, D)
        self.enc = nn.TransformerEncoderLayer(D, 2, 48, dropout=0.0, batch_first=True)
        self.out = nn.Linear(D, 4)

    def forward(self, ids):
        h = self.enc(self.emb(ids))
        return self.out(h.mean(1))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
for step in range(150):
    ids, y = batch(16)
    loss = nn.functional.cross_entropy(net(ids), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0:
        print(step, loss.item())
