# fault: none
# family: physics
# split: held
# Hamiltonian network for the pendulum, full batch L-BFGS
import os
import torch

torch.manual_seed(int(os.environ.get("SEED", 0)))
torch.set_default_dtype(torch.float64)

q = torch.rand(300, 1) * 4 - 2
p = torch.rand(300, 1) * 3 - 1.5
state = torch.cat([q, p], 1)
flow = torch.cat([p, -torch.sin(q)], 1)
test = torch.rand(200, 2) * torch.tensor([4.0, 3.0]) - torch.tensor([2.0, 1.5])
test_flow = torch.stack([test[:, 1], -torch.sin(test[:, 0])], 1)

H = torch.nn.Sequential(torch.nn.Linear(2, 24), torch.nn.Tanh(), torch.nn.Linear(24, 24), torch.nn.Tanh(),
                        torch.nn.Linear(24, 1, bias=False))


def field(x, graph=True):
    x = x.clone().requires_grad_(True)
    g = torch.autograd.grad(H(x).sum(), x, create_graph=graph)[0]
    return torch.stack([g[:, 1], -g[:, 0]], 1)


opt = torch.optim.LBFGS(H.parameters(), lr=0.8, max_iter=6, history_size=12, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    l = (field(state) - flow).pow(2).mean()
    l.backward()
    return l


for k in range(30):
    l = opt.step(closure)
    if k % 6 == 0 or k == 29:
        e = (field(test, False) - test_flow).pow(2).mean()
        print(f"outer {k:2d}  train {l.item():.3e}  test {e.item():.3e}")
