# fault: none
# family: gan
# split: held
import os, math
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
ang = torch.arange(8) * (2 * math.pi / 8)
MODES = 1.5 * torch.stack([ang.cos(), ang.sin()], 1)


def real(n):
    return MODES[torch.randint(0, 8, (n,))] + 0.1 * torch.randn(n, 2)


def net(i, o, act):
    return nn.Sequential(nn.Linear(i, 64), act, nn.Linear(64, 64), act, nn.Linear(64, o))


G, D = net(8, 2, nn.ReLU()), net(2, 1, nn.LeakyReLU(0.2))
og = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.99))
od = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.99))

for it in range(1, 1101):
    x, z = real(64), torch.randn(64, 8)
    d_loss = F.softplus(-D(x)).mean() + F.softplus(D(G(z).detach())).mean()
    od.zero_grad()
    d_loss.backward()
    od.step()
    g_loss = F.softplus(-D(G(z))).mean()
    og.zero_grad()
    g_loss.backward()
    og.step()
    if it % 100 == 0:
        with torch.no_grad():
            m = torch.cdist(G(torch.randn(400, 8)), MODES).min(1)
            ok = m.values < 0.35
        print(f"{it} D {d_loss.item():.3f} G {g_loss.item():.3f} good {ok.float().mean():.2f} modes {m.indices[ok].unique().numel()}")
