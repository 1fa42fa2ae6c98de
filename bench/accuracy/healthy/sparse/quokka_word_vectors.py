# fault: none
# family: sparse
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
VOCAB, DIM, NEG = 800, 16, 5


class SkipGram(nn.Module):
    def __init__(self):
        super().__init__()
        self.centre = nn.Embedding(VOCAB, DIM, sparse=True)
        self.context = nn.Embedding(VOCAB, DIM, sparse=True)
        nn.init.uniform_(self.centre.weight, -0.5 / DIM, 0.5 / DIM)
        nn.init.zeros_(self.context.weight)

    def forward(self, c, o, neg):
        v = self.centre(c)
        pos = F.logsigmoid((v * self.context(o)).sum(1))
        bad = F.logsigmoid(-(self.context(neg) @ v.unsqueeze(2)).squeeze(2)).sum(1)
        return -(pos + bad).mean()


freq = 1 / torch.arange(1, VOCAB + 1).float() ** 0.7
group = torch.randint(0, 10, (VOCAB,))
probs = [freq * (group == g) for g in range(10)]
unigram = freq ** 0.75


def batch(n):
    c = torch.multinomial(freq, n, replacement=True)
    o = torch.empty_like(c)
    for g in range(10):
        m = group[c] == g
        if m.any():
            o[m] = torch.multinomial(probs[g], int(m.sum()), replacement=True)
    return c, o, torch.multinomial(unigram, n * NEG, replacement=True).view(n, NEG)


model = SkipGram()
opt = torch.optim.SparseAdam(list(model.parameters()), lr=0.02)
run = []
for step in range(600):
    loss = model(*batch(128))
    opt.zero_grad()
    loss.backward()
    opt.step()
    run.append(loss.item())
    if step % 100 == 99:
        w = F.normalize(model.centre.weight.detach()[:200], dim=1)
        s = w @ w.t() - 2 * torch.eye(200)
        print(f"step {step + 1} loss {sum(run[-100:]) / 100:.4f} neighbours of one group {(group[:200][s.argmax(1)] == group[:200]).float().mean():.3f}")
