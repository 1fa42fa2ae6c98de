# fault: learning-rate-too-high
# cause_class: learning-rate
# family: reinforcement
# split: tune
"""REINFORCE on a 4x4 grid: walk from anywhere to the corner."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
SIZE, STEPS, BATCH = 4, 10, 32
MOVES = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2 * SIZE, 32), nn.Tanh(), nn.Linear(32, 4))

    def forward(self, pos):
        one = nn.functional.one_hot(pos, SIZE).flatten(1).float()
        return self.net(one)


def episode(policy):
    pos = torch.randint(SIZE, (BATCH, 2))
    logps, rewards, ents = [], [], []
    done = torch.zeros(BATCH, dtype=torch.bool)
    for _ in range(STEPS):
        dist = torch.distributions.Categorical(logits=policy(pos))
        a = dist.sample()
        logps.append(dist.log_prob(a) * (~done))
        ents.append((dist.entropy() * (~done)).mean())
        pos = torch.where(done[:, None], pos, (pos + MOVES[a]).clamp(0, SIZE - 1))
        goal = (pos == SIZE - 1).all(1)
        rewards.append((goal & ~done).float() - 0.1 * (~done))
        done = done | goal
    r = torch.stack(rewards)
    ret = torch.flip(torch.cumsum(torch.flip(r, [0]), 0), [0])
    return torch.stack(logps), ret, r.sum(0).mean().item(), done.float().mean().item(), torch.stack(ents).mean()


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1.0)
avg = None
for it in range(1, 401):
    logp, ret, score, reached, ent = episode(policy)
    baseline = ret.mean(1, keepdim=True)
    loss = -(logp * (ret - baseline)).mean() - 0.005 * ent
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    avg = score if avg is None else 0.9 * avg + 0.1 * score
    if it % 40 == 0:
        print(f"iter {it} loss {loss.item():+.4f} return {avg:.3f} reached {reached:.2f}")
