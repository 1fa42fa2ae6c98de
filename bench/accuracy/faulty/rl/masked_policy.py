# fault: not-finite
# cause_class: non-finite, loss
# family: rl
# split: tune
# twin: healthy/twins/masked_policy.py
# REINFORCE on a contextual bandit where some actions are not allowed
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

n_ctx, n_act = 8, 6
payoff = torch.randn(n_ctx, n_act)
policy = nn.Sequential(nn.Linear(n_ctx, 32), nn.Tanh(), nn.Linear(32, n_act))
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
beta = 0.01
baseline = 0.0
for step in range(250):
    ctx = torch.randint(n_ctx, (64,))
    x = torch.eye(n_ctx)[ctx]
    allowed = torch.ones(64, n_act, dtype=torch.bool)
    allowed[torch.rand(64) < 0.002, 1:] = False  # now and then only the default is open
    logits = policy(x).masked_fill(~allowed, float("-inf"))
    p = logits.softmax(-1)
    a = (logits.detach() - torch.log(-torch.log(torch.rand(64, n_act)))).argmax(1)  # Gumbel
    r = payoff[ctx, a] + 0.1 * torch.randn(64)
    logp = torch.log(p[torch.arange(64), a])
    entropy = -(p * torch.log(p)).sum(-1).mean()
    loss = -((r - baseline) * logp).mean() - beta * entropy
    baseline = 0.9 * baseline + 0.1 * r.mean().item()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print("step", step, "reward", r.mean().item())
