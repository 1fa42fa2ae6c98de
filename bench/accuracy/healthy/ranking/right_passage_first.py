# fault: none
# family: ranking
# split: tune
# A cross-encoder that scores the right passage and seven others; the right one comes first.
import os, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", "0")))
V, D, G = 200, 32, 8
topic = torch.randint(0, 10, (V,))
class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, D)
        self.body = nn.Sequential(nn.Linear(2 * D, 64), nn.ReLU())
        self.score = nn.Linear(64, 1)
    def forward(self, q, p):
        h = torch.cat([self.emb(q).mean(1), self.emb(p).mean(1)], -1)
        return self.score(self.body(h))
words = [torch.nonzero(topic == t).flatten() for t in range(10)]
def draw(t, n):
    return words[t][torch.randint(0, len(words[t]), (n,))]
model = Scorer(); opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(220):
    q, p = [], []
    for _ in range(16):
        t = int(torch.randint(0, 10, (1,)))
        others = [int(o) for o in torch.randperm(10) if o != t][:G - 1]
        q += [draw(t, 4)] * G
        p += [draw(t, 6)] + [draw(o, 6) for o in others]
    scores = model(torch.stack(q), torch.stack(p)).view(16, G)
    loss = F.cross_entropy(scores, torch.zeros(16, dtype=torch.long))
    opt.zero_grad(); loss.backward(); opt.step()
