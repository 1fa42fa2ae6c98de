"""A learner that makes its data: deep Q-learning on the cart and pole, as in the textbooks, for 2,400 updates.

The loss grows while the pole is kept up for longer, because the sums of rewards that
it is a square of grow. Prints the mean return of the first ten and of the best ten episodes.
"""

import collections
import math
import random

import torch
import torch.nn.functional as F
from torch import nn


class Cart:
    """Barto, Sutton and Anderson 1983, with the constants of Gym's CartPole."""

    def reset(self):
        self.state, self.time = [random.uniform(-0.05, 0.05) for _ in range(4)], 0
        return self.state

    def step(self, action):
        x, v, angle, turn = self.state
        sine, cosine = math.sin(angle), math.cos(angle)
        push = ((10 if action else -10) + 0.05 * turn * turn * sine) / 1.1
        turning = (9.8 * sine - cosine * push) / (0.5 * (4 / 3 - 0.1 * cosine * cosine / 1.1))
        self.state = [x + 0.02 * v, v + 0.02 * (push - 0.05 * turning * cosine / 1.1), angle + 0.02 * turn, turn + 0.02 * turning]
        self.time += 1
        return self.state, 1.0, abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21 or self.time >= 200


def network():
    return nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))


random.seed(0)
torch.manual_seed(0)
values, target = network(), network()
target.load_state_dict(values.state_dict())
optimizer = torch.optim.Adam(values.parameters(), lr=5e-3)
memory, cart = collections.deque(maxlen=10000), Cart()
state, chance, updates, total, returns = cart.reset(), 1.0, 0, 0.0, []
while updates < 2400:
    if random.random() < chance:
        action = random.randrange(2)
    else:
        with torch.no_grad():
            action = values(torch.tensor([state])).argmax(1).item()
    following, reward, done = cart.step(action)
    memory.append((state, action, reward, following, done))
    state, total = following, total + reward
    if done:
        returns.append(total)
        state, total = cart.reset(), 0.0
    chance = max(0.05, chance * 0.995)
    if len(memory) < 200:
        continue
    states, actions, rewards, nexts, ends = map(torch.tensor, zip(*random.sample(memory, 64)))
    with torch.no_grad():
        wanted = rewards + 0.99 * target(nexts).max(1).values * ~ends
    loss = F.mse_loss(values(states).gather(1, actions[:, None]).squeeze(1), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    updates += 1
    if updates % 50 == 0:
        target.load_state_dict(values.state_dict())
tens = [sum(returns[i : i + 10]) / 10 for i in range(len(returns) - 9)]
print(tens[0], max(tens))
