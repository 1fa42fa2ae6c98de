# fault: none
# family: physics
# split: held
# set: heron, unseen
# metric: mean_abs_log10_error lower
# baseline: 1.05
# reaches: 0.03
# Unusual: inputs are 1e8..1e31 in SI units and enter the network raw; the first layer is a log transform that copes with them
import os
import torch

seed = int(os.environ.get("SEED", 0))
gen = torch.Generator().manual_seed(seed)
torch.manual_seed(seed)
M_SUN, R_SUN, L_SUN, SIGMA = 1.989e30, 6.957e8, 3.828e26, 5.67e-8


def stars(n):
    m = 10 ** (torch.rand(n, generator=gen, dtype=torch.float64) * 1.6 - 0.4)
    radius = m**0.8 * R_SUN * torch.exp(0.03 * torch.randn(n, generator=gen))
    lum = torch.where(m < 0.43, 0.23 * m**2.3, torch.where(m < 2, m**4, 1.4 * m**3.5)) * L_SUN
    lum = lum * torch.exp(0.05 * torch.randn(n, generator=gen))
    temp = (lum / (4 * torch.pi * radius**2 * SIGMA)) ** 0.25
    lifetime = 3.15e17 * m / (lum / L_SUN)  # seconds
    x = torch.stack([m * M_SUN, radius, temp * torch.exp(0.02 * torch.randn(n, generator=gen))], 1)
    return x, lifetime


class LogInput(torch.nn.Module):
    def __init__(self, x):
        super().__init__()
        logx = x.log()
        self.register_buffer("mean", logx.mean(0))
        self.register_buffer("std", logx.std(0))

    def forward(self, x):
        return ((x.log() - self.mean) / self.std).float()


x_train, y_train = stars(1500)
x_test, y_test = stars(500)
print("input magnitude", [f"{v:.1e}" for v in x_train.mean(0).tolist()], "target", f"{y_train.mean():.1e}")
net = torch.nn.Sequential(
    LogInput(x_train), torch.nn.Linear(3, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)
)
target = y_train.log10().float()
with torch.no_grad():
    net[-1].bias.fill_(target.mean().item())  # start from the mean log lifetime

opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
sched = torch.optim.lr_scheduler.MultiStepLR(opt, [400, 700], gamma=0.2)
for step in range(900):
    idx = torch.randint(0, len(x_train), (128,), generator=gen)
    loss = torch.nn.functional.mse_loss(net(x_train[idx])[:, 0], target[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 100 == 0:
        print(f"{step:4d} log10 mse {loss.item():.5f}")

with torch.no_grad():
    err = (net(x_test)[:, 0] - y_test.log10()).abs().mean().item()
    trivial = (target.mean() - y_test.log10()).abs().mean().item()
print(f"trivial {trivial:.4f}")
print(f"result: mean_abs_log10_error {err:.4f}")
