# fault: none
# family: vision
# split: held
# set: heron, unseen
# metric: accuracy higher
# baseline: 0.11
# reaches: 0.92
# Unusual: plain SGD with a learning rate of 1.5 on small inputs, then two sharp drops; the evaluated weights are a moving average
import copy
import os

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(seed := int(os.environ.get("SEED", 0)))
data = load_digits()
x = torch.tensor(data.data / 16 - 0.3, dtype=torch.float32) * 0.5
y = torch.tensor(data.target)
train, test = train_test_split(torch.arange(len(y)), test_size=0.3, random_state=seed)


class EMA:
    def __init__(self, model, decay):
        self.shadow = copy.deepcopy(model).eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.mul_(self.decay).add_(p, alpha=1 - self.decay)


model = nn.Sequential(nn.Linear(64, 96), nn.Tanh(), nn.Linear(96, 48), nn.Tanh(), nn.Linear(48, 10))
ema = EMA(model, 0.97)
opt = torch.optim.SGD(model.parameters(), lr=1.5)
sched = torch.optim.lr_scheduler.MultiStepLR(opt, milestones=[350, 500], gamma=0.1)
for step in range(600):
    i = train[torch.randint(0, len(train), (48,))]
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    ema.update(model)
    if step % 50 == 0:
        with torch.no_grad():
            hit = (ema.shadow(x[test]).argmax(1) == y[test]).float().mean().item()
        print(f"step {step} loss {loss.item():.3f} lr {sched.get_last_lr()[0]:g} ema accuracy {hit:.3f}")
with torch.no_grad():
    print(f"result: accuracy {(ema.shadow(x[test]).argmax(1) == y[test]).float().mean().item():.4f}")
