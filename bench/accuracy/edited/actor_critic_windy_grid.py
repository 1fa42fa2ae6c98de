# fault: none
# family: reinforcement
# split: held
# set: heron, unseen
# metric: success_rate higher
# baseline: 0.05
# reaches: 0.9
# Unusual: the actor loss has no meaningful level and changes sign; the critic loss first rises as returns appear; two optimisers
import os

import torch
from torch import nn
from torch.distributions import Categorical

SIZE, HORIZON, GAMMA, ENVS = 6, 24, 0.95, 48
MOVES = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])


class WindyGrid:
    """Many grids at once: walk from a random cell to the corner, wind pushes now and then."""

    def __init__(self, n):
        self.n = n

    def reset(self):
        self.pos = torch.randint(0, SIZE - 1, (self.n, 2))
        self.done = torch.zeros(self.n, dtype=torch.bool)
        return self.obs()

    def obs(self):
        flat = self.pos[:, 0] * SIZE + self.pos[:, 1]
        return nn.functional.one_hot(flat, SIZE * SIZE).float()

    def step(self, action):
        move = MOVES[action].clone()
        wind = torch.rand(self.n) < 0.15
        move[wind] = torch.tensor([-1, 0])
        self.pos = torch.where(self.done[:, None], self.pos, (self.pos + move).clamp(0, SIZE - 1))
        reached = (self.pos == SIZE - 1).all(1) & ~self.done
        self.done = self.done | reached
        return self.obs(), reached.float()


def main():
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    actor = nn.Sequential(nn.Linear(SIZE * SIZE, 64), nn.Tanh(), nn.Linear(64, 4))
    critic = nn.Sequential(nn.Linear(SIZE * SIZE, 64), nn.Tanh(), nn.Linear(64, 1))
    nn.init.orthogonal_(actor[2].weight, gain=0.01)  # near-uniform first policy
    nn.init.zeros_(actor[2].bias)
    opt_a = torch.optim.Adam(actor.parameters(), lr=5e-3)
    opt_c = torch.optim.Adam(critic.parameters(), lr=1e-2)

    def rollout(env, greedy=False):
        obs, rows = env.reset(), []
        for _ in range(HORIZON):
            alive = ~env.done
            with torch.no_grad():
                logits = actor(obs)
            act = logits.argmax(1) if greedy else Categorical(logits=logits).sample()
            nxt, reward = env.step(act)
            rows.append((obs, act, reward, alive.float(), nxt, env.done.float()))
            obs = nxt
        return [torch.stack(c) for c in zip(*rows)], env.done.float().mean().item()

    for update in range(160):
        (obs, act, rew, alive, nxt, done), success = rollout(WindyGrid(ENVS))
        value = critic(obs).squeeze(-1)
        with torch.no_grad():
            boot = critic(nxt).squeeze(-1) * (1 - done)
            delta = rew + GAMMA * boot - value
            adv, run = torch.zeros_like(delta), torch.zeros(ENVS)
            for t in reversed(range(HORIZON)):
                run = delta[t] + GAMMA * 0.9 * (1 - done[t]) * run
                adv[t] = run
            target = adv + value
        keep = alive.bool()
        dist = Categorical(logits=actor(obs[keep]))
        a = adv[keep]
        a = (a - a.mean()) / (a.std() + 1e-6)
        loss_a = -(dist.log_prob(act[keep]) * a).mean() - 0.01 * dist.entropy().mean()
        loss_c = (value[keep] - target[keep]).pow(2).mean()
        opt_a.zero_grad()
        loss_a.backward()
        opt_a.step()
        opt_c.zero_grad()
        loss_c.backward()
        opt_c.step()
        if update % 20 == 0:
            print(f"update {update} success {success:.2f} actor {loss_a.item():+.4f} critic {loss_c.item():.4f}")

    _, score = rollout(WindyGrid(1000), greedy=True)
    print(f"result: success_rate {score:.4f}")


main()
