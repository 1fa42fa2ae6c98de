# fault: ranks-diverge
# cause_class: ranks, initialisation
# family: tabular
# split: held
# set: civet, unseen
"""Next-day realised volatility, trained by two processes that average their gradients (gloo)."""
import os
import socket
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

SEED = int(os.environ.get("SEED", 0))
WORLD, STEPS, LAGS, ASSETS = 2, 200, 22, 40


def simulate():
    g = torch.Generator().manual_seed(SEED)
    days = 500
    logv = torch.zeros(days, ASSETS)
    for t in range(1, days):
        shock = 0.25 * torch.randn(1, generator=g) + 0.25 * torch.randn(ASSETS, generator=g)
        logv[t] = 0.93 * logv[t - 1] + shock
    ret = torch.exp(logv) * torch.randn(days, ASSETS, generator=g)
    x = torch.stack([torch.cat([ret[t - LAGS:t].abs().log1p(), logv[t - LAGS:t] + 0.3 * torch.randn(LAGS, ASSETS, generator=g)]).T
                     for t in range(LAGS, days)])
    return x, logv[LAGS:].clone()


class VolNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(2 * LAGS, elementwise_affine=False), nn.Linear(2 * LAGS, 64), nn.Tanh(),
                                 nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def average_gradients(model):
    grads = [p.grad for p in model.parameters()]
    flat = torch.cat([g.flatten() for g in grads])
    dist.all_reduce(flat)
    flat /= WORLD
    for g, part in zip(grads, flat.split([g.numel() for g in grads])):
        g.copy_(part.view_as(g))


def worker(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=WORLD)
    x, y = simulate()
    cut = 400
    torch.manual_seed(1000 * SEED + rank)      # every rank draws its own samples
    model = VolNet()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(STEPS):
        t, a = torch.randint(cut, (64,)), torch.randint(ASSETS, (64,))
        loss = nn.functional.mse_loss(model(x[t, a]), y[t, a])
        opt.zero_grad()
        loss.backward()
        average_gradients(model)
        opt.step()
        if rank == 0 and step % 40 == 0:
            print(f"step {step:3d} mse {loss.item():.3f}", flush=True)
    with torch.no_grad():
        for p in model.parameters():            # one set of weights to ship
            dist.all_reduce(p.data)
            p.data /= WORLD
        e = ((model(x[cut:]) - y[cut:]) ** 2).mean()
    if rank == 0:
        print(f"test mse {e.item():.4f}  r2 {1 - e.item() / y[cut:].var().item():.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    mp.start_processes(worker, args=(port,), nprocs=WORLD, start_method="fork")
