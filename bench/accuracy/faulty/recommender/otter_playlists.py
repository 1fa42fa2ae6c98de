# fault: no-gradient
# cause_class: not-updated, structure
# family: recommender
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
SONGS, GENRES, LEN = 150, 6, 10
genre = torch.randint(0, GENRES, (SONGS,))
members = [(genre == g).nonzero().flatten() for g in range(GENRES)]


def playlists(n):
    g = torch.randint(0, GENRES, (n,))
    rows = torch.stack([members[k][torch.randint(0, len(members[k]), (LEN + 1,))] for k in g.tolist()])
    return rows[:, :LEN], rows[:, LEN]


class TwoTower(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.song = nn.Embedding(SONGS, d)
        self.rnn = nn.GRU(d, d, batch_first=True)
        self.query = nn.Linear(d, d)
        self.bias = nn.Parameter(torch.zeros(SONGS))

    @torch.no_grad()
    def embed(self, ids):
        return F.normalize(self.song(ids), dim=-1)

    def user(self, history):
        _, h = self.rnn(self.embed(history))
        return self.query(h[-1])

    def forward(self, history):
        items = self.embed(torch.arange(SONGS))
        return 5 * self.user(history) @ items.T + self.bias


model = TwoTower()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(400):
    model.train()
    h, nxt = playlists(32)
    loss = F.cross_entropy(model(h), nxt)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 49:
        model.eval()
        with torch.no_grad():
            vh, vn = playlists(200)
            hit = (genre[model(vh).argmax(1)] == genre[vn]).float().mean()
        print(f"step {step + 1} loss {loss.item():.3f} genre hit {hit:.3f}")
