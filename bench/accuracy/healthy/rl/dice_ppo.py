# fault: none
# family: rl
# split: tune
"""PPO with a clipped ratio on a two-step control task with Gaussian actions; the policy loss hovers around zero."""
import os
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(int(os.environ.get("SEED", 0)))


def rollout(policy, value, n=64, horizon=8):
    """Drive a point to the origin; reward is minus the squared distance."""
    s = torch.randn(n, 2)
    S, A, L, R, V = [], [], [], [], []
    with torch.no_grad():
        for _ in range(horizon):
            dist = Normal(policy(s), policy.log_std.exp())
            a = dist.sample()
            S.append(s); A.append(a); L.append(dist.log_prob(a).sum(1)); V.append(value(s).squeeze(1))
            s = s + 0.5 * a.clamp(-1, 1) + 0.02 * torch.randn_like(s)
            R.append(-(s ** 2).sum(1))
    ret, out = torch.zeros(n), []
    for r in reversed(R):
        ret = r + 0.9 * ret
        out.insert(0, ret)
    return [torch.cat(v) for v in (S, A, L, out, V)] + [torch.stack(R).mean().item()]


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
        self.log_std = nn.Parameter(torch.full((2,), -0.5))

    def forward(self, s):
        return self.net(s)


policy = Policy()
value = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam([{"params": policy.parameters(), "lr": 3e-3}, {"params": value.parameters(), "lr": 1e-2}])
for it in range(60):
    S, A, L, R, V, mean_r = rollout(policy, value)
    adv = R - V
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for _ in range(3):
        for idx in torch.randperm(len(S)).split(128):
            dist = Normal(policy(S[idx]), policy.log_std.exp())
            ratio = (dist.log_prob(A[idx]).sum(1) - L[idx]).exp()
            pl = -torch.min(ratio * adv[idx], ratio.clamp(0.8, 1.2) * adv[idx]).mean()
            vl = nn.functional.mse_loss(value(S[idx]).squeeze(1), R[idx])
            loss = pl + 0.1 * vl - 0.001 * dist.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            opt.step()
    if it % 8 == 0 or it == 59:
        print(f"iteration {it} reward {mean_r:.4f} policy loss {pl.item():+.4f} value loss {vl.item():.4f}")
