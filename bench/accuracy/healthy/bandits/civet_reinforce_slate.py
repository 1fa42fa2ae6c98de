# fault: none
# family: bandits
# split: held
# Slate recommendation as a sequence policy: pick 4 items one after another, reward = clicks at the end.
# Plain REINFORCE with a running baseline and entropy bonus. The "loss" goes up and down around zero.
import os
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", 0)))
ITEMS, CTX, SLATE = 12, 6, 4
W = torch.randn(CTX, ITEMS)


def clicks(ctx, slate):
    """relevance + noise, repeated items earn nothing"""
    rel = torch.sigmoid((ctx @ W).gather(1, slate) - 0.5)
    first = torch.ones_like(rel)
    for i in range(1, SLATE):
        first[:, i] = (slate[:, :i] != slate[:, i:i + 1]).all(1).float()
    return (torch.rand_like(rel) < rel).float().mul(first).sum(1), (rel * first).sum(1)


class SlatePolicy(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.start = nn.Linear(CTX, d)
        self.item = nn.Embedding(ITEMS, d)
        self.cell = nn.GRUCell(d, d)
        self.logit = nn.Linear(2 * d + CTX, ITEMS)

    def forward(self, ctx, greedy=False):
        h = torch.tanh(self.start(ctx))
        seen = torch.zeros(len(ctx), h.size(1))
        x = torch.zeros_like(h)
        logp, ent, slate = 0, 0, []
        for _ in range(SLATE):
            h = self.cell(x, h)
            dist = Categorical(logits=self.logit(torch.cat([h, seen, ctx], 1)))
            a = dist.probs.argmax(1) if greedy else dist.sample()
            x = self.item(a)
            seen = seen + x
            logp = logp + dist.log_prob(a)
            ent = ent + dist.entropy()
            slate.append(a)
        return torch.stack(slate, 1), logp, ent


policy = SlatePolicy()
opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
baseline = 1.5
for it in range(301):
    ctx = torch.randn(96, CTX)
    slate, logp, ent = policy(ctx)
    r, _ = clicks(ctx, slate)
    adv = r - baseline
    baseline = 0.95 * baseline + 0.05 * r.mean().item()
    adv = adv / (adv.std() + 1e-6)
    loss = -(adv * logp).mean() - 0.01 * ent.mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    opt.step()
    if it % 60 == 0:
        with torch.no_grad():
            c = torch.randn(500, CTX)
            _, val = clicks(c, policy(c, greedy=True)[0])
        print(f"it {it:3d} loss {loss.item():+.3f} mean clicks {baseline:.2f} greedy value {val.mean():.3f}")
