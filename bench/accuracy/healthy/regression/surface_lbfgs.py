# fault: none
# family: regression
# split: held
import os, torch
from torch import nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

x = torch.rand(600, 2) * 4 - 2
y = (torch.sin(2 * x[:, :1]) * torch.cos(x[:, 1:])) + .02 * torch.randn(600, 1)
xt = torch.rand(300, 2) * 3.8 - 1.9
yt = torch.sin(2 * xt[:, :1]) * torch.cos(xt[:, 1:])
net = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=8, history_size=20, line_search_fn="strong_wolfe")
mse = nn.MSELoss()

def closure():
    opt.zero_grad()
    l = mse(net(x), y)
    l.backward()
    return l

for k in range(60):
    l = opt.step(closure)
    if k % 6 == 5:
        with torch.no_grad():
            print("round", k + 1, "train", l.item(), "test", mse(net(xt), yt).item())
