# fault: none
# family: tagging
# split: held
import os
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, K, L = 50, 5, 16
# hidden markov source: tag -> words
trans = torch.softmax(1.5 * torch.randn(K, K), 1)
emit = torch.softmax(3 * torch.randn(K, V), 1)

def draw(n):
    tags, words = torch.zeros(n, L, dtype=torch.long), torch.zeros(n, L, dtype=torch.long)
    t = torch.randint(K, (n,))
    for s in range(L):
        tags[:, s] = t
        words[:, s] = torch.multinomial(emit[t], 1)[:, 0]
        t = torch.multinomial(trans[t], 1)[:, 0]
    return words, tags

W, T = draw(2400)
Wv, Tv = draw(400)

class ConvTagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(V, 24)
        self.c1 = nn.Conv1d(24, 48, 3, padding=1)
        self.c2 = nn.Conv1d(48, 48, 3, padding=1)
        self.o = nn.Conv1d(48, K, 1)

    def forward(self, w):
        h = self.e(w).transpose(1, 2)
        h = F.relu(self.c1(h))
        h = F.relu(self.c2(h)) + h
        return F.log_softmax(self.o(h), dim=1)

net = ConvTagger()
sgd = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for ep in range(8):
    tr = 0.
    for i in torch.randperm(2400).split(40):
        sgd.zero_grad()
        l = F.nll_loss(net(W[i]), T[i])
        l.backward()
        sgd.step()
        tr += l.item()
    with torch.no_grad():
        o = net(Wv)
    print(ep, "train", tr / 60, "val", F.nll_loss(o, Tv).item(), "accuracy", (o.argmax(1) == Tv).float().mean().item())
