# fault: none
# family: tabular
# split: held
# set: heron, unseen
# metric: median_abs_error lower
# baseline: 1.1
# reaches: 0.2
# Unusual: 10 % of the targets are sensor spikes of size 50 to 500; single-batch losses jump by factors while the fit is good, the hand-written Huber and clipping cope
import os
import torch

torch.manual_seed(int(os.environ.get("SEED", 0)))


def make(n, spikes):
    x = torch.randn(n, 6)
    y = 1.5 * torch.tanh(x[:, 0] * 2) + x[:, 1] * x[:, 2] + torch.cos(x[:, 3]) + 0.1 * torch.randn(n)
    if spikes:
        hit = torch.rand(n) < 0.1
        sign = torch.randint(0, 2, (n,)) * 2.0 - 1
        y = torch.where(hit, sign * (50 + 450 * torch.rand(n)), y)
    return x, y


def huber(r, delta=0.5):
    a = r.abs()
    return torch.where(a < delta, 0.5 * r * r, delta * (a - 0.5 * delta)).mean()


x, y = make(4000, spikes=True)
xv, yv = make(1000, spikes=False)
h = 64
params = []
for i, o in [(6, h), (h, h), (h, 1)]:
    params += [torch.randn(i, o).mul_((2 / i) ** 0.5).requires_grad_(), torch.zeros(o, requires_grad=True)]
params[4].data.mul_(0.1)


def forward(x):
    w1, b1, w2, b2, w3, b3 = params
    return (torch.relu(torch.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3)[:, 0]


opt = torch.optim.Adam(params, lr=3e-3)
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, total_iters=1200)
print("median predictor", (yv - y.median()).abs().median().item())
for it in range(1200):
    idx = torch.randint(0, len(x), (64,))
    loss = huber(forward(x[idx]) - y[idx])
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(params, 2.0)
    opt.step()
    sched.step()
    if it % 150 == 0:
        with torch.no_grad():
            print(f"{it} batch loss {loss.item():.3f} clean median error {(forward(xv) - yv).abs().median().item():.4f}")
with torch.no_grad():
    print(f"result: median_abs_error {(forward(xv) - yv).abs().median().item():.4f}")
