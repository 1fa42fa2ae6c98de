# fault: none
# family: rl
# split: tune
# Distributional Q-learning with a target network, in one file.
import os, copy, math, random, torch, torch.nn as nn, torch.nn.functional as F
seed = int(os.environ.get('SEED', '0'))
torch.manual_seed(seed)
random.seed(seed)



class CartPole:

    def reset(self):
        self.s = [random.uniform(-0.05, 0.05) for _ in range(4)]
        self.t = 0
        return torch.tensor(self.s)

    def step(self, a):
        x, v, th, w = self.s
        f = 10.0 if a == 1 else -10.0
        c, s = (math.cos(th), math.sin(th))
        tmp = (f + 0.05 * w * w * s) / 1.1
        al = (9.8 * s - c * tmp) / (0.5 * (4 / 3 - 0.1 * c * c / 1.1))
        ac = tmp - 0.05 * al * c / 1.1
        self.s = [x + 0.02 * v, v + 0.02 * ac, th + 0.02 * w, w + 0.02 * al]
        self.t += 1
        term = abs(self.s[0]) > 2.4 or abs(self.s[2]) > 0.21
        return (torch.tensor(self.s), 1.0, term, self.t >= 200)



class QNetwork(nn.Module):

    def __init__(self, n_atoms=31, v_min=-10, v_max=60):
        super().__init__()
        self.n_atoms = n_atoms
        self.register_buffer('atoms', torch.linspace(v_min, v_max, steps=n_atoms))
        self.n = 2
        self.network = nn.Sequential(nn.Linear(4, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, self.n * n_atoms))

    def get_action(self, x, action=None):
        logits = self.network(x)
        pmfs = torch.softmax(logits.view(len(x), self.n, self.n_atoms), dim=2)
        q_values = (pmfs * self.atoms).sum(2)
        if action is None:
            action = torch.argmax(q_values, 1)
        return (action, pmfs[torch.arange(len(x)), action])
q_network, target_network, env = (QNetwork(), QNetwork(), CartPole())
optimizer = torch.optim.Adam(q_network.parameters(), lr=0.001, eps=0.01 / 64)
target_network.load_state_dict(q_network.state_dict())
rb, obs, ret, rets = ([], env.reset(), 0, [])
for global_step in range(3000):
    if random.random() < max(0.05, 1 - global_step / 1500):
        action = random.randrange(2)
    else:
        action, _ = q_network.get_action(obs[None])
        action = int(action)
    nobs, reward, term, trunc = env.step(action)
    ret += reward
    rb.append((obs, nobs, action, reward, float(term)))
    obs = nobs
    if term or trunc:
        rets.append(ret)
        ret = 0
        obs = env.reset()
    if global_step > 400 and global_step % 4 == 0:
        b = random.sample(rb, 64)
        o, no, a, r, d = (torch.stack([x[0] for x in b]), torch.stack([x[1] for x in b]), torch.tensor([x[2] for x in b]), torch.tensor([[x[3]] for x in b]), torch.tensor([[x[4]] for x in b]))
        with torch.no_grad():
            _, next_pmfs = target_network.get_action(no)
            next_atoms = r + 0.98 * target_network.atoms * (1 - d)
            delta_z = target_network.atoms[1] - target_network.atoms[0]
            tz = next_atoms.clamp(-10, 60)
            bb = (tz + 10) / delta_z
            l = bb.floor().clamp(0, 30)
            u = bb.ceil().clamp(0, 30)
            d_m_l = (u + (l == u).float() - bb) * next_pmfs
            d_m_u = (bb - l) * next_pmfs
            target_pmfs = torch.zeros_like(next_pmfs)
            for i in range(target_pmfs.size(0)):
                target_pmfs[i].index_add_(0, l[i].long(), d_m_l[i])
                target_pmfs[i].index_add_(0, u[i].long(), d_m_u[i])
        _, old_pmfs = q_network.get_action(o, a)
        loss = (-(target_pmfs * old_pmfs.clamp(min=1e-05, max=1 - 1e-05).log()).sum(-1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if global_step % 200 == 0:
            target_network.load_state_dict(q_network.state_dict())
print(sum(rets[:10]) / 10, sum(rets[-10:]) / 10)
