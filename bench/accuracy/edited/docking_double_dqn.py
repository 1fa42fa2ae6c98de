# fault: none
# family: reinforcement
# split: held
# set: puma, unseen
"""Double DQN for a warehouse robot that has to find the charging dock.

The floor is the unit square, a shelf blocks the middle, the robot drives in four
directions (noisy), bumping into a wall costs a little, hitting the shelf ends the episode.
32 robots are simulated at once in numpy.
"""
import argparse
import copy
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

MOVES = np.array([[0.12, 0.0], [-0.12, 0.0], [0.0, 0.12], [0.0, -0.12]])


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
    p.add_argument("--robots", type=int, default=32)
    p.add_argument("--updates", type=int, default=650)
    p.add_argument("--batch-size", type=int, default=128)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--gamma", type=float, default=0.95)
    p.add_argument("--target-every", type=int, default=25)
    p.add_argument("--eps-final", type=float, default=0.1)
    p.add_argument("--eps-updates", type=int, default=350)
    p.add_argument("--warmup", type=int, default=40)
    p.add_argument("--hidden", type=int, default=64)
    p.add_argument("--capacity", type=int, default=20000)
    p.add_argument("--clip", type=float, default=5.0)
    return p.parse_args()


class DockEnv:
    dock = np.array([0.75, 0.85])
    horizon = 30

    def __init__(self, n, rng):
        self.n, self.rng = n, rng
        self.pos = np.zeros((n, 2))
        self.t = np.zeros(n, int)
        self.reset(np.ones(n, bool))

    def reset(self, mask):
        k = mask.sum()
        start = self.rng.uniform(0.05, 0.95, (k, 2))
        start[:, 1] = np.where(start[:, 0] > 0.4, start[:, 1] * 0.45, start[:, 1])
        self.pos[mask] = start
        self.t[mask] = 0

    def observe(self):
        return (self.pos * 2 - 1).astype(np.float32)

    def step(self, action):
        self.pos += MOVES[action] + self.rng.normal(0, 0.015, (self.n, 2))
        self.t += 1
        x, y = self.pos.T
        distance = np.linalg.norm(self.pos - self.dock, axis=1)
        docked = distance < 0.2
        shelf = (x > 0.4) & (y > 0.45) & (y < 0.6)
        wall = (self.pos < 0).any(1) | (self.pos > 1).any(1)
        self.pos = self.pos.clip(0, 1)
        reward = np.where(docked, 1.0, np.where(shelf, -1.0, np.where(wall, -0.1, -0.02)))
        terminal = docked | shelf
        nxt = self.observe()
        over = terminal | (self.t >= self.horizon)
        self.reset(over)
        return nxt, reward.astype(np.float32), terminal.astype(np.float32), docked, over


class Replay:
    def __init__(self, capacity, rng):
        self.rng, self.capacity = rng, capacity
        self.s = np.zeros((capacity, 2), np.float32)
        self.s2 = np.zeros((capacity, 2), np.float32)
        self.a = np.zeros(capacity, np.int64)
        self.r = np.zeros(capacity, np.float32)
        self.d = np.zeros(capacity, np.float32)
        self.head = self.size = 0

    def add(self, s, a, r, s2, d):
        i = (self.head + np.arange(len(a))) % self.capacity
        self.s[i], self.a[i], self.r[i], self.s2[i], self.d[i] = s, a, r, s2, d
        self.head = (self.head + len(a)) % self.capacity
        self.size = min(self.size + len(a), self.capacity)

    def sample(self, n):
        i = self.rng.integers(0, self.size, n)
        return [torch.from_numpy(z[i]) for z in (self.s, self.a, self.r, self.s2, self.d)]


class QNet(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.fc1 = nn.Linear(2, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 4)

    def forward(self, s):
        x = F.relu(self.fc1(s))
        x = F.relu(self.fc2(x))
        return self.out(x)


class Agent:
    def __init__(self, args):
        self.args = args
        self.online = QNet(args.hidden)
        self.target = copy.deepcopy(self.online)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=args.lr)
        self.updates = 0

    @torch.no_grad()
    def act(self, obs, eps, rng):
        greedy = self.online(torch.from_numpy(obs)).argmax(1).numpy()
        explore = rng.random(len(obs)) < eps
        return np.where(explore, rng.integers(0, 4, len(obs)), greedy)

    def learn(self, batch):
        s, a, r, s2, d = batch
        q = self.online(s).gather(1, a[:, None]).squeeze(1)
        with torch.no_grad():
            best = self.online(s2).argmax(1, keepdim=True)
            q_next = self.target(s2).gather(1, best).squeeze(1)
            y = r + self.args.gamma * (1 - d) * q_next
        loss = F.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), self.args.clip)
        self.opt.step()
        self.updates += 1
        if self.updates % self.args.target_every == 0:
            self.target.load_state_dict(self.online.state_dict())
        return loss.item()


def evaluate(agent, rng):
    env = DockEnv(200, rng)
    obs, alive = env.observe(), np.ones(200, bool)
    success = np.zeros(200, bool)
    for _ in range(env.horizon):
        obs, _, _, docked, over = env.step(agent.act(obs, 0.0, rng))
        success |= docked & alive
        alive &= ~over
        obs = env.observe()
    return success.mean()


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env, agent = DockEnv(args.robots, rng), Agent(args)
    replay = Replay(args.capacity, rng)
    obs = env.observe()
    losses = []
    for step in range(args.warmup + args.updates):
        eps = max(args.eps_final, 1.0 - step / args.eps_updates)
        action = agent.act(obs, eps, rng)
        nxt, reward, terminal, _, _ = env.step(action)
        replay.add(obs, action, reward, nxt, terminal)
        obs = env.observe()
        if step >= args.warmup:
            losses.append(agent.learn(replay.sample(args.batch_size)))
        if (step + 1) % 200 == 0:
            print(f"step {step + 1}  eps {eps:.2f}  td-loss {np.mean(losses[-100:]):.4f}")
    rate = evaluate(agent, np.random.default_rng(args.seed + 1000))
    print(f"METRIC dock_rate {rate:.4f}")


if __name__ == "__main__":
    main()
