"""Q-learning of a lander that must touch down softly; many landers fall at the same time."""
import copy
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

ENVS = 128
GAMMA = 0.98
OBS = 40


class Landers:
    """Height, speed, fuel, wind and many noisy radar echoes of the ground."""

    def __init__(self, n, rng):
        self.n, self.rng = n, rng
        self.height = np.zeros(n)
        self.speed = np.zeros(n)
        self.fuel = np.zeros(n)
        self.wind = np.zeros((n, 5))
        self.reset(np.ones(n, bool))

    def reset(self, which):
        k = int(which.sum())
        self.height[which] = self.rng.uniform(5, 10, k)
        self.speed[which] = self.rng.uniform(-1, 1, k)
        self.fuel[which] = 10.0
        self.wind[which] = self.rng.normal(0, 0.2, (k, 5))

    def observe(self):
        echoes = self.height[:, None] + 0.3 * self.rng.standard_normal((self.n, 32))
        return np.concatenate([self.height[:, None], self.speed[:, None], self.fuel[:, None], self.wind, echoes], 1).astype(np.float32)

    def step(self, action):
        thrust = np.where(self.fuel > 0, action * 0.9, 0.0)
        self.fuel -= 0.2 * action
        self.speed += 0.2 * (thrust - 0.8 + self.wind.mean(1))
        self.height += 0.2 * self.speed
        done = self.height <= 0
        reward = np.where(done, 10 - 6 * np.abs(self.speed), -0.02 * action - 0.02).astype(np.float32)
        self.reset(done)
        return reward, done


class ReplayBuffer:
    def __init__(self, capacity):
        self.obs = np.zeros((capacity, OBS), np.float32)
        self.actions = np.zeros(capacity, np.int64)
        self.rewards = np.zeros(capacity, np.float32)
        self.next_obs = np.zeros((capacity, OBS), np.float32)
        self.done = np.zeros(capacity, bool)
        self.size = 0

    def add(self, obs, actions, rewards, next_obs, done):
        new = slice(self.size, self.size + len(actions))
        self.obs[new] = obs
        self.actions[new] = actions
        self.rewards[new] = rewards
        self.next_obs[new] = next_obs
        self.done[new] = done
        self.size = new.stop

    def sample(self, k, rng):
        i = rng.integers(0, self.size, k)
        return [torch.from_numpy(a[i]) for a in (self.obs, self.actions, self.rewards, self.next_obs, self.done)]


def main(steps=1200):
    rng = np.random.default_rng(1)
    torch.manual_seed(1)
    landers = Landers(ENVS, rng)
    memory = ReplayBuffer(steps * ENVS)
    q = nn.Sequential(nn.Linear(OBS, 384), nn.ReLU(), nn.Linear(384, 384), nn.ReLU(), nn.Linear(384, 3))
    target = copy.deepcopy(q).requires_grad_(False)
    optimizer = torch.optim.Adam(q.parameters(), lr=5e-4)
    obs = landers.observe()
    recent = 0.0
    began = time.perf_counter()
    for step in range(1, steps + 1):
        epsilon = max(0.05, 1 - step / 600)
        with torch.no_grad():
            greedy = q(torch.from_numpy(obs)).argmax(1).numpy()
        actions = np.where(rng.random(ENVS) < epsilon, rng.integers(0, 3, ENVS), greedy)
        rewards, done = landers.step(actions)
        following = landers.observe()
        memory.add(obs, actions, rewards, following, done)
        obs = following

        o, a, r, n, d = memory.sample(512, rng)
        with torch.no_grad():
            goal = r + GAMMA * target(n).max(1).values * ~d
        loss = F.smooth_l1_loss(q(o).gather(1, a[:, None]).squeeze(1), goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for p, t in zip(q.parameters(), target.parameters()):
                t.lerp_(p, 0.01)
        recent = 0.99 * recent + 0.01 * rewards.mean()
        if step % 100 == 0:
            print(f"step {step}  loss {loss.item():.4f}  reward {recent:+.3f}  replay {memory.size}  {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
