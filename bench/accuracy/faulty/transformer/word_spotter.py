# fault: loss-misused
# cause_class: structure, data-loading
# family: transformer
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
n, T, V = 1500, 16, 30
length = torch.randint(5, 14, (n,))
ids = torch.randint(1, V, (n, T))
real = torch.arange(T)[None] < length[:, None]
ids = ids * real
y = ((ids == 7).any(1) | (ids == 11).any(1) | (ids == 3).any(1)).long()


class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, 32, padding_idx=0)
        self.cls = nn.Parameter(torch.randn(1, 1, 32) * 0.1)
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(32, 4, 64, 0.0, batch_first=True) for _ in range(2)])
        self.fc = nn.Linear(32, 2)

    def forward(self, ids):
        mask = ids != 0
        h = torch.cat([self.cls.expand(len(ids), -1, -1), self.emb(ids)], 1)
        pad = torch.cat([torch.zeros(len(ids), 1, dtype=torch.bool), mask], 1)
        for l in self.layers:
            h = l(h, src_key_padding_mask=pad)
        return self.fc(h[:, 0])


m = Enc()
opt = torch.optim.Adam(m.parameters(), lr=1e-3)
for it in range(250):
    i = torch.randint(0, n, (48,))
    loss = nn.functional.cross_entropy(m(ids[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 25 == 0:
        print(it, loss.item())
