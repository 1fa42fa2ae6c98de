# fault: none
# family: rl
# split: held
# set: heron, unseen
# metric: regret lower
# baseline: 1.1
# reaches: 0.1
# Unusual: contextual bandit with noisy rewards; REINFORCE surrogate whose value is near zero all the time, noise larger than the signal
import os
import torch

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
CONTEXT, ARMS = 8, 5
theta = torch.randn(CONTEXT, ARMS) / CONTEXT**0.5

# plain tensors as policy parameters, zero start = uniform policy
w = torch.zeros(CONTEXT, ARMS, requires_grad=True)
b = torch.zeros(ARMS, requires_grad=True)
opt = torch.optim.RMSprop([w, b], lr=0.02)


def regret(n=5000):
    with torch.no_grad():
        g = torch.Generator().manual_seed(99)
        x = torch.randn(n, CONTEXT, generator=g)
        value = x @ theta
        best = value.max(1).values
        chosen = value.gather(1, (x @ w + b).argmax(1, keepdim=True)).squeeze(1)
        return (best - chosen).mean().item()


print("uniform regret", round(regret(), 3))
running = 0.0
for t in range(1500):
    x = torch.randn(64, CONTEXT)
    dist = torch.distributions.Categorical(logits=x @ w + b)
    arm = dist.sample()
    reward = (x @ theta).gather(1, arm[:, None]).squeeze(1) + 1.5 * torch.randn(64)
    surrogate = -((reward - running) * dist.log_prob(arm)).mean() - 0.02 * dist.entropy().mean()
    opt.zero_grad()
    surrogate.backward()
    opt.step()
    running += 0.05 * (reward.mean().item() - running)
    if t % 250 == 249:
        print(f"round {t + 1} reward {running:.3f} surrogate {surrogate.item():+.3f} regret {regret():.3f}")
print(f"result: regret {regret():.4f}")
