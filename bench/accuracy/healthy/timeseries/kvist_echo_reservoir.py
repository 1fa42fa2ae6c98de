# fault: none
# family: timeseries
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Reservoir(nn.Module):
    """Echo state network: only the readout is trained."""

    def __init__(self, n=120, rho=0.9):
        super().__init__()
        w = torch.randn(n, n) / n ** 0.5
        self.register_buffer("w", rho * w / torch.linalg.eigvals(w).abs().max())
        self.win = nn.Linear(1, n)
        for p in self.win.parameters():
            p.requires_grad_(False)
        self.readout = nn.Linear(n, 1)

    @torch.no_grad()
    def states(self, u):
        h, out = torch.zeros(self.w.size(0)), []
        for v in u:
            h = torch.tanh(self.win(v.view(1)) + self.w @ h)
            out.append(h)
        return torch.stack(out)


def mackey_glass(n, tau=17):
    x = [1.2] * (tau + 1)
    for _ in range(n * 5):
        x.append(x[-1] + 0.2 * (0.2 * x[-tau - 1] / (1 + x[-tau - 1] ** 10) - 0.1 * x[-1]) * 5 / 1)
    s = torch.tensor(x[-n:])
    return (s - s.mean()) / s.std()


s = mackey_glass(1800)
model = Reservoir()
H = model.states(s[:-1])[100:]
Y = s[1:][100:].unsqueeze(1)
ntr = 1300
opt = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-2)
sched = torch.optim.lr_scheduler.StepLR(opt, 250, 0.4)
for step in range(1, 901):
    b = torch.randint(0, ntr, (64,))
    loss = nn.functional.mse_loss(model.readout(H[b]), Y[b])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 150 == 0 or step == 1:
        with torch.no_grad():
            print(step, f"{loss.item():.5f}", f"test {nn.functional.mse_loss(model.readout(H[ntr:]), Y[ntr:]).item():.5f}")
