# fault: none
# family: rl
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

# which shelf does the parcel belong to?  20 features, 5 shelves, reward 1 for the right one
centers = torch.randn(5, 20)


def sample(n):
    shelf = torch.randint(5, (n,))
    return centers[shelf] + 1.2 * torch.randn(n, 20), shelf


policy = nn.Sequential(nn.Linear(20, 48), nn.Tanh(), nn.Linear(48, 5))
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
running = 0.2
for it in range(1000):
    obs, right = sample(32)
    logits = policy(obs)
    gumbel = -torch.log(-torch.log(torch.rand_like(logits).clamp(1e-6, 1 - 1e-6)))
    action = (logits + gumbel).argmax(1)
    reward = (action == right).float()
    advantage = (reward - reward.mean()) / (reward.std() + 1e-3)
    logp = F.log_softmax(logits, 1).gather(1, action[:, None]).squeeze(1)
    loss = -(advantage * logp).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    running = 0.95 * running + 0.05 * reward.mean().item()
    if it % 100 == 99:
        print(f"iter {it + 1} loss {loss.item():+.4f} reward {running:.3f}")
with torch.no_grad():
    obs, right = sample(2000)
    print("greedy reward", (policy(obs).argmax(1) == right).float().mean().item())
