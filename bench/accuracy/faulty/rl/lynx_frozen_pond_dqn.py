# fault: broadcast-targets
# cause_class: labels, loss
# family: rl
# split: held
import os
import random
from collections import deque, namedtuple
import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

Transition = namedtuple("Transition", "state action reward next_state done")


class Pond:
    """5x5 ice, two-hot coordinates; goal in the far corner (+1), three holes (-1), -0.02 a step"""
    holes = {(1, 3), (3, 1), (2, 2)}

    def obs(self):
        v = [0.0] * 10
        v[self.r] = 1.0
        v[5 + self.c] = 1.0
        return v

    def reset(self):
        while True:
            self.r, self.c, self.t = random.randrange(5), random.randrange(5), 0
            if (self.r, self.c) not in self.holes and (self.r, self.c) != (4, 4):
                return self.obs()

    def step(self, a):
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[a]
        self.r, self.c = min(4, max(0, self.r + dr)), min(4, max(0, self.c + dc))
        self.t += 1
        if (self.r, self.c) == (4, 4):
            return self.obs(), 1.0, True
        if (self.r, self.c) in self.holes:
            return self.obs(), -1.0, True
        return self.obs(), -0.02, self.t >= 25


class DQN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, x):
        return self.layers(x)


class Agent:
    gamma, batch_size, sync = 0.95, 64, 100

    def __init__(self):
        self.policy_net, self.target_net = DQN(), DQN()
        self.target_net.load_state_dict(self.policy_net.state_dict())
        self.memory = deque(maxlen=4000)
        self.opt = torch.optim.Adam(self.policy_net.parameters(), lr=1e-3)
        self.updates = 0

    @torch.no_grad()
    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(4)
        return self.policy_net(torch.tensor([s])).argmax(1).item()

    def learn(self):
        batch = Transition(*zip(*random.sample(self.memory, self.batch_size)))
        states, next_states = torch.tensor(batch.state), torch.tensor(batch.next_state)
        actions = torch.tensor(batch.action).unsqueeze(1)
        rewards = torch.tensor(batch.reward)
        dones = torch.tensor(batch.done, dtype=torch.float32)

        q = self.policy_net(states).gather(1, actions)
        with torch.no_grad():
            best_next = self.target_net(next_states).max(1)[0]
            expected = rewards + self.gamma * best_next * (1 - dones)
        td = q - expected
        loss = torch.where(td.abs() < 1, 0.5 * td ** 2, td.abs() - 0.5).mean()

        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(self.policy_net.parameters(), 1.0)
        self.opt.step()
        self.updates += 1
        if self.updates % self.sync == 0:
            self.target_net.load_state_dict(self.policy_net.state_dict())
        return loss.item()


def run(agent, env, eps):
    s, done, ret = env.reset(), False, 0.0
    while not done:
        a = agent.act(s, eps)
        s, r, done = env.step(a)
        ret += r
    return ret


env, agent = Pond(), Agent()
s = env.reset()
for step in range(3000):
    a = agent.act(s, max(0.1, 1 - step / 2000))
    s2, r, done = env.step(a)
    agent.memory.append(Transition(s, a, r, s2, done and r != -0.02))
    s = env.reset() if done else s2
    if step >= 300 and step % 2 == 0:
        loss = agent.learn()
    if step >= 400 and step % 400 == 0:
        print(f"step {step} loss {loss:.4f} greedy return {sum(run(agent, env, 0.0) for _ in range(20)) / 20:.2f}")
        s = env.reset()
