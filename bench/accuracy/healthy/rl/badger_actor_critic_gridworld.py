# fault: none
# family: rl
# split: held
# set: badger, unseen
# metric: return higher
# baseline: -0.13
# reaches: 0.8
# Unusual: separate optimisers for actor and critic, the critic's loss first RISES (there is nothing to predict until goals are reached) and the actor's loss means nothing.
import os

import torch
from torch import nn
from torch.distributions import Categorical

torch.set_num_threads(1)
torch.manual_seed(int(os.environ.get("SEED", 0)))

SIZE, ENVS, HORIZON, GAMMA, LAM = 7, 64, 24, 0.97, 0.95
MOVES = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])
WALL = torch.zeros(SIZE, SIZE, dtype=torch.bool)
WALL[3, [0, 1, 2, 4, 5, 6]] = True          # one door in the middle


class Rooms:
    """Batched two-room world: start in the upper room, goal anywhere in the lower one, 40 moves at most."""

    def __init__(self, n):
        self.n = n
        self.pos = torch.zeros(n, 2, dtype=torch.long)
        self.goal = torch.zeros(n, 2, dtype=torch.long)
        self.t = torch.zeros(n, dtype=torch.long)
        self.reset(torch.ones(n, dtype=torch.bool))

    def reset(self, m):
        k = int(m.sum())
        self.pos[m] = torch.stack([torch.randint(0, 3, (k,)), torch.randint(0, SIZE, (k,))], 1)
        self.goal[m] = torch.stack([torch.randint(4, SIZE, (k,)), torch.randint(0, SIZE, (k,))], 1)
        self.t[m] = 0

    def obs(self):
        e = torch.eye(SIZE)
        return torch.cat([e[self.pos[:, 0]], e[self.pos[:, 1]], e[self.goal[:, 0]], e[self.goal[:, 1]]], 1)

    def step(self, a):
        new = (self.pos + MOVES[a]).clamp(0, SIZE - 1)
        blocked = WALL[new[:, 0], new[:, 1]]
        self.pos = torch.where(blocked[:, None], self.pos, new)
        self.t += 1
        reached = (self.pos == self.goal).all(1)
        done = reached | (self.t >= 40)
        reward = reached.float() - 0.005
        self.reset(done)
        return reward, done


def net(out, gain):
    last = nn.Linear(64, out)
    nn.init.orthogonal_(last.weight, gain)
    nn.init.zeros_(last.bias)
    return nn.Sequential(nn.Linear(4 * SIZE, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), last)


actor, critic = net(4, 0.01), net(1, 1.0)
opt_a = torch.optim.Adam(actor.parameters(), lr=2e-3)
opt_c = torch.optim.Adam(critic.parameters(), lr=4e-3)


@torch.no_grad()
def evaluate(policy, episodes=400):
    env = Rooms(episodes)
    total, alive = torch.zeros(episodes), torch.ones(episodes, dtype=torch.bool)
    for _ in range(40):
        r, d = env.step(policy(env.obs()))
        total += r * alive
        alive &= ~d
    return total.mean().item()


def act(o):
    return Categorical(logits=actor(o)).sample()


env = Rooms(ENVS)
for update in range(1, 201):
    obs, acts, rews, dones = [], [], [], []
    with torch.no_grad():
        for _ in range(HORIZON):
            o = env.obs()
            a = act(o)
            r, d = env.step(a)
            obs.append(o); acts.append(a); rews.append(r); dones.append(d.float())
        obs, acts, rews, dones = map(torch.stack, (obs, acts, rews, dones))
        val = critic(obs).squeeze(-1)
        nxt = torch.cat([val[1:], critic(env.obs()).squeeze(-1)[None]])
        adv, run = torch.zeros_like(val), torch.zeros(ENVS)
        for i in reversed(range(HORIZON)):
            delta = rews[i] + GAMMA * nxt[i] * (1 - dones[i]) - val[i]
            run = delta + GAMMA * LAM * (1 - dones[i]) * run
            adv[i] = run
        target = adv + val
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    pi = Categorical(logits=actor(obs))
    loss_a = -(pi.log_prob(acts) * adv).mean() - 0.01 * pi.entropy().mean()
    opt_a.zero_grad(); loss_a.backward(); opt_a.step()
    for _ in range(2):
        loss_c = (critic(obs).squeeze(-1) - target).square().mean()
        opt_c.zero_grad(); loss_c.backward(); opt_c.step()
    if update % 20 == 0:
        print(f"update {update} actor {loss_a.item():+.4f} critic {loss_c.item():.4f} "
              f"entropy {pi.entropy().mean().item():.3f} return {evaluate(act, 200):.3f}")

print("uniform policy:", round(evaluate(lambda o: torch.randint(4, (len(o),)), 2000), 3))
print(f"result: return {evaluate(act, 1000):.4f}")
