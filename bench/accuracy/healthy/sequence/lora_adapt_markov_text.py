# fault: none
# family: sequence
# split: held
# set: heron, unseen
# metric: excess_nats lower
# baseline: 0.5
# reaches: 0.12
# Unusual: fine-tunes a pre-trained next-token GRU with low-rank adapters whose B matrix starts at zero; over 90 % of the parameters are frozen and the adapter's A gets no gradient in the first step
import io
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
V, T = 12, 32


def chain(sharpness):
    return (torch.randn(V, V) * sharpness).softmax(1)


def sample(P, n):
    s = torch.randint(0, V, (n, 1))
    out = [s]
    for _ in range(T):
        s = torch.multinomial(P[s[:, 0]], 1)
        out.append(s)
    return torch.cat(out, 1)


class LowRank(nn.Module):
    def __init__(self, base, rank=6, alpha=2.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features**0.5)
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))
        self.alpha = alpha

    def forward(self, x):
        return self.base(x) + self.alpha * F.linear(F.linear(x, self.A), self.B)


class LM(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.emb = nn.Embedding(V, d)
        self.rnn = nn.GRU(d, d, batch_first=True)
        self.mid = nn.Linear(d, d)
        self.out = nn.Linear(d, V)

    def forward(self, s):
        h, _ = self.rnn(self.emb(s))
        return self.out(h + torch.tanh(self.mid(h)))


def nll(model, s):
    return F.cross_entropy(model(s[:, :-1]).flatten(0, 1), s[:, 1:].flatten())


def fit(model, P, steps, lr, tag):
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.Adam(params, lr=lr)
    for step in range(steps):
        loss = nll(model, sample(P, 24))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 50 == 0:
            print(f"{tag} step {step} loss {loss.item():.4f}")


old, new = chain(1.5), chain(1.5)
base = LM()
fit(base, old, 150, 5e-3, "pretrain")
buffer = io.BytesIO()
torch.save(base.state_dict(), buffer)

model = LM()
buffer.seek(0)
model.load_state_dict(torch.load(buffer))
model.requires_grad_(False)
model.mid, model.out = LowRank(model.mid), LowRank(model.out)
held_out = sample(new, 300)
with torch.no_grad():
    print(f"new domain before: perplexity {nll(model, held_out).exp().item():.3f}")
    print("trainable share", sum(p.numel() for p in model.parameters() if p.requires_grad) / sum(p.numel() for p in model.parameters()))
fit(model, new, 200, 1e-2, "adapt")
with torch.no_grad():
    now, nxt = held_out[:, :-1].flatten(), held_out[:, 1:].flatten()
    unigram = torch.bincount(now, minlength=V).float() / len(now)
    true_nll = -new[now, nxt].log().mean()
    print(f"unigram excess {(-unigram[nxt].log().mean() - true_nll).item():.4f}")
    print(f"result: excess_nats {(nll(model, held_out) - true_nll).item():.4f}")
