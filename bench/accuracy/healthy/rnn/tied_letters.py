# fault: none
# family: rnn
# split: held
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, D = 16, 32
P = torch.softmax(2.5 * torch.randn(V, V), 1)      # the language: a Markov chain
entropy_floor = None


def text(n, length=20):
    s = [torch.randint(V, (n,))]
    for _ in range(length):
        s.append(torch.multinomial(P[s[-1]], 1)[:, 0])
    return torch.stack(s, 1)


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, D)
        nn.init.normal_(self.emb.weight, std=0.3)
        self.rnn = nn.GRU(D, D, batch_first=True)
        self.out = nn.Linear(D, V)
        self.out.weight = self.emb.weight

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


model = LM()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
val = text(300)
floor = -(P.log() * P).sum(1)[val[:, :-1]].mean().item()
for step in range(1, 351):
    s = text(32)
    loss = nn.functional.cross_entropy(model(s[:, :-1]).flatten(0, 1), s[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 35 == 0:
        with torch.no_grad():
            v = nn.functional.cross_entropy(model(val[:, :-1]).flatten(0, 1), val[:, 1:].flatten()).item()
        print(f"step {step} train {loss.item():.4f} val {v:.4f} (entropy of the source {floor:.4f})")
