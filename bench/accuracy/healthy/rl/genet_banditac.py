# fault: none
# family: rl
# split: held
# contextual bandit with an actor, critic and entropy bonus (ad slots on the test bench)
import os, torch
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))
K, D = 5, 8
truth = torch.randn(D, K)
W = torch.zeros(D, K, requires_grad=True)          # policy starts uniform
V = torch.zeros(D, 1, requires_grad=True)
ema = None
for i in range(1, 701):
    ctx = torch.randn(16, D)
    logits = ctx @ W
    dist = torch.distributions.Categorical(logits=logits)
    act = dist.sample()
    pay = (ctx @ truth)[torch.arange(16), act] + 2.0 * torch.randn(16)
    base = (ctx @ V).squeeze(1)
    actor = -(dist.log_prob(act) * (pay - base.detach())).mean() - 0.01 * dist.entropy().mean()
    critic = F.mse_loss(base, pay)
    (actor + 0.5 * critic).backward()
    with torch.no_grad():
        for p in (W, V):
            p -= 0.05 * p.grad
            p.grad = None
        best = (ctx @ truth).max(1).values.mean()
        got = (ctx @ truth)[torch.arange(16), act].mean()
    ema = got.item() / best.item() if ema is None else 0.97 * ema + 0.03 * got.item() / best.item()
    if i % 100 == 0 or i == 1:
        print(f"round {i:4d} actor {actor.item():+.3f} critic {critic.item():.3f} share of best pay {ema:.3f}")
