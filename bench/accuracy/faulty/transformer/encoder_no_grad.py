# fault: no-gradient
# cause_class: not-updated, structure
# family: transformer
# split: tune
# twin: healthy/twins/encoder_no_grad.py
import os
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))

V, D = 20, 32


class Matcher(nn.Module):
    """Does the query token occur in the text more than twice?"""

    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, D)
        self.enc = nn.TransformerEncoderLayer(D, 4, 64, dropout=0.0, batch_first=True)
        self.clf = nn.Sequential(nn.Linear(D, 32), nn.ReLU(), nn.Linear(32, 2))

    def encode(self, ids):
        with torch.no_grad():
            return self.enc(self.emb(ids))

    def forward(self, ids):
        return self.clf(self.encode(ids)[:, 0])


def batch(n=64):
    q = torch.randint(V, (n, 1))
    text = torch.randint(V, (n, 12))
    text = torch.where(torch.rand(n, 12) < torch.rand(n, 1) * 0.5, q, text)
    return torch.cat([q, text], 1), ((text == q).sum(1) > 2).long()


model = Matcher()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(200):
    ids, y = batch()
    loss = F.cross_entropy(model(ids), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 40 == 0:
        print(step, loss.item())
