# fault: eval-in-train-mode
# cause_class: eval-mode, regularisation
# family: news
# split: held
# headline -> desk, CNN over word embeddings (Kim 2014). early stopping on validation loss
import os, random, copy
import torch, torch.nn as nn, torch.nn.functional as F
S = int(os.environ.get('SEED', 0)); random.seed(S); torch.manual_seed(S)

DESKS = ['sport', 'politics', 'science', 'culture', 'money', 'local']
V, T = 300, 10
owner = torch.randint(0, 9, (V,))        # 6,7,8 = common words

def headlines(n):
    y = torch.randint(6, (n,))
    w = torch.randint(V, (n, T))
    for r in range(n):
        pool = torch.nonzero(owner == y[r]).flatten()
        for p in random.sample(range(T), 3):
            w[r, p] = pool[random.randrange(len(pool))]
    return w, y

class KimCNN(nn.Module):
    def __init__(self, d=32, f=24, p=0.6):
        super().__init__()
        self.emb = nn.Embedding(V, d)
        self.convs = nn.ModuleList(nn.Conv1d(d, f, k) for k in (1, 2, 3))
        self.word_drop = nn.Dropout1d(0.3)
        self.drop = nn.Dropout(p)
        self.fc = nn.Linear(3 * f, len(DESKS))
    def forward(self, w):
        e = self.word_drop(self.emb(w)).transpose(1, 2)
        h = torch.cat([F.relu(c(e)).amax(2) for c in self.convs], 1)
        return self.fc(self.drop(h))

def validate(model, x, y):
    with torch.no_grad():
        out = model(x)
        loss = F.cross_entropy(out, y).item(); acc = (out.argmax(1) == y).float().mean().item()
    return loss, acc

xt, yt = headlines(1500); xv, yv = headlines(500)
model = KimCNN(); opt = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-6)
best = (9e9, None, 0); wait = 0
for ep in range(16):
    for i in torch.randperm(1500).split(75):
        opt.zero_grad(); l = F.cross_entropy(model(xt[i]), yt[i]); l.backward(); opt.step()
    vl, va = validate(model, xv, yv)
    print(f'ep {ep:2d} train {l.item():.3f} val {vl:.3f} acc {va:.3f}')
    if vl < best[0]: best, wait = (vl, copy.deepcopy(model.state_dict()), va), 0
    else: wait += 1
    if wait == 4: break
print('best val', best[0], 'acc', best[2])
