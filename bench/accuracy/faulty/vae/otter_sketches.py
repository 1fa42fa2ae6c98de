# fault: init-too-large
# cause_class: initialisation
# family: vae
# split: held
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def sketches(n, s=8):
    img = torch.zeros(n, s, s)
    r, c = torch.randint(0, s, (n,)), torch.randint(0, s, (n,))
    k = torch.arange(n)
    img[k, r] = 1
    img[k, :, c] = 1
    return img.flatten(1)


class VAE(nn.Module):
    def __init__(self, d=64, h=128, z=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh())
        self.mu, self.logvar = nn.Linear(h, z), nn.Linear(h, z)
        self.dec = nn.Sequential(nn.Linear(z, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, d))
        for name, p in self.named_parameters():
            if name.startswith(("enc", "dec")) and p.ndim == 2:
                fan = p.size(1)
                nn.init.normal_(p, std=(2 / fan) ** -0.5)
            elif p.ndim == 1:
                nn.init.zeros_(p)

    def forward(self, x):
        h = self.enc(x)
        mu, lv = self.mu(h), self.logvar(h).clamp(-8, 8)
        z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
        return self.dec(z), mu, lv


def neg_elbo(out, x, mu, lv):
    rec = F.binary_cross_entropy_with_logits(out, x, reduction="none").sum(1)
    kl = -0.5 * (1 + lv - mu ** 2 - lv.exp()).sum(1)
    return (rec + 0.5 * kl).mean()


vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=1e-3)
for step in range(600):
    x = sketches(64)
    out, mu, lv = vae(x)
    loss = neg_elbo(out, x, mu, lv)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 60 == 0:
        print(step, f"-elbo {loss.item():.2f}")
