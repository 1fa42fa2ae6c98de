# fault: none
# family: rnn
# split: held
# set: badger, unseen
# metric: mse lower
# baseline: 0.167
# reaches: 0.02
# Adding problem with a ReLU recurrence started at the identity (Le, Jaitly & Hinton 2015).
import os
import torch

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
gen = torch.Generator().manual_seed(seed + 1000)

T, H = 24, 48


def batch(n):
    vals = torch.rand(n, T, generator=gen)
    mark = torch.zeros(n, T)
    a = torch.randint(0, T // 2, (n,), generator=gen)
    b = torch.randint(T // 2, T, (n,), generator=gen)
    r = torch.arange(n)
    mark[r, a] = 1
    mark[r, b] = 1
    return torch.stack([vals, mark], 2), vals[r, a] + vals[r, b]


rnn = torch.nn.RNN(2, H, nonlinearity="relu", batch_first=True)
out = torch.nn.Linear(H, 1)
with torch.no_grad():
    rnn.weight_hh_l0.copy_(torch.eye(H))
    rnn.weight_ih_l0.normal_(0, 0.05)
    rnn.bias_hh_l0.zero_()
    rnn.bias_ih_l0.zero_()
    out.weight.normal_(0, 0.05)
    out.bias.zero_()

params = [*rnn.parameters(), *out.parameters()]
opt = torch.optim.Adam(params, lr=2e-3)


def predict(x):
    h, _ = rnn(x)
    return out(h[:, -1]).squeeze(1)


xv, yv = batch(1000)
avg = 0.0
for step in range(1, 1001):
    x, y = batch(50)
    loss = (predict(x) - y).square().mean()
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    avg += loss.item() / 50
    if step % 50 == 0:
        with torch.no_grad():
            print(step, f"train {avg:.4f} val {(predict(xv) - yv).square().mean().item():.4f}")
        avg = 0.0

with torch.no_grad():
    mse = (predict(xv) - yv).square().mean().item()
print("always 1.0:", (1 - yv).square().mean().item())
print(f"result: mse {mse:.5f}")
