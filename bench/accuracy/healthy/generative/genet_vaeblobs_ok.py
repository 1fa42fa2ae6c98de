# fault: none
# family: generative
# split: held
import argparse
import os
import torch
from torch import nn

parser = argparse.ArgumentParser("vae on blob images")
parser.add_argument("--latent", type=int, default=6)
parser.add_argument("--epochs", type=int, default=15)
parser.add_argument("--bs", type=int, default=64)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--warmup", type=int, default=3, help="epochs over which the KL term is faded in")
args = parser.parse_args([])

torch.manual_seed(int(os.environ.get("SEED", 0)))


def blobs(n, s=14):
    """one soft ellipse per image: centre (2), size (1), brightness (1)"""
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, s), torch.linspace(-1, 1, s), indexing="ij")
    c = torch.rand(n, 2) * 1.2 - 0.6
    r = torch.rand(n, 1, 1) * 0.25 + 0.2
    a = torch.rand(n, 1, 1) * 0.6 + 0.4
    d = ((yy - c[:, :1, None]) / r) ** 2 + ((xx - c[:, 1:, None]) / r) ** 2
    return (a * torch.exp(-0.5 * d)).unsqueeze(1)


class Enc(nn.Module):
    def __init__(self, z):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.SiLU(),
                                 nn.Conv2d(16, 24, 3, stride=2, padding=1), nn.SiLU(), nn.Flatten())
        self.mu = nn.Linear(24 * 16, z)
        self.lv = nn.Linear(24 * 16, z)

    def forward(self, x):
        h = self.net(x)
        return self.mu(h), self.lv(h).clamp(-8, 8)


class Dec(nn.Module):
    def __init__(self, z):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(z, 96), nn.SiLU(), nn.Linear(96, 196), nn.Sigmoid())

    def forward(self, z):
        return self.net(z).view(-1, 1, 14, 14)


train, test = blobs(2048), blobs(256)
enc, dec = Enc(args.latent), Dec(args.latent)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=args.lr)
beta_per_epoch = [min(1.0, (e + 1) / args.warmup) for e in range(args.epochs)]


def elbo(x):
    mu, lv = enc(x)
    z = mu + torch.exp(0.5 * lv) * torch.randn_like(mu)
    rec = dec(z)
    # unit: nats with observation sigma 0.1
    recon = 50.0 * (rec - x).pow(2).sum((1, 2, 3)).mean()
    kl = 0.5 * (mu.pow(2) + lv.exp() - 1 - lv).sum(1).mean()
    return recon, kl, rec


print("pixel variance of the test set: %.4f" % (test - test.mean(0)).pow(2).mean())
for ep in range(args.epochs):
    perm = torch.randperm(len(train))
    enc.train(), dec.train()
    for i in range(0, len(train), args.bs):
        recon, kl, _ = elbo(train[perm[i:i + args.bs]])
        loss = recon + beta_per_epoch[ep] * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
    enc.eval(), dec.eval()
    with torch.no_grad():
        r, k, rec = elbo(test)
        print(f"[{ep:02d}] loss {loss.item():.4f} test recon {r.item():.4f} kl {k.item():.4f} mse/pixel {(rec - test).pow(2).mean().item():.5f}")
