# fault: learning-rate-too-low
# cause_class: learning-rate
# family: autoencoder
# split: held
# twin: healthy/autoencoder/vae_bumps.py
import os, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(int(os.environ.get('SEED', 0)))

grid = torch.linspace(0, 1, 40)
def curves(n):
    c = torch.rand(n, 1) * .8 + .1
    w = torch.rand(n, 1) * .08 + .05
    return torch.exp(-((grid - c) / w) ** 2 / 2)

class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.e1 = nn.Linear(40, 64); self.mu = nn.Linear(64, 3); self.lv = nn.Linear(64, 3)
        self.d1 = nn.Linear(3, 64); self.d2 = nn.Linear(64, 40)
    def forward(self, x):
        h = F.relu(self.e1(x))
        mu, lv = self.mu(h), self.lv(h)
        z = mu + torch.randn_like(mu) * (0.5 * lv).exp() if self.training else mu
        return self.d2(F.relu(self.d1(z))), mu, lv

vae = VAE()
optim = torch.optim.Adam(vae.parameters(), lr=2e-7)
X, V = curves(3000), curves(500)
for ep in range(20):
    vae.train()
    s = 0
    for idx in torch.randperm(3000).split(64):
        r, mu, lv = vae(X[idx])
        rec = F.mse_loss(r, X[idx], reduction='none').sum(1).mean()
        kl = -0.5 * (1 + lv - mu ** 2 - lv.exp()).sum(1).mean()
        loss = rec + 0.02 * kl
        optim.zero_grad(); loss.backward(); optim.step()
        s += loss.item() * len(idx)
    vae.eval()
    with torch.no_grad():
        r = vae(V)[0]
    print('epoch %d  train elbo %.4f  val mse %.5f (variance %.5f)' % (ep, s / 3000, F.mse_loss(r, V), V.var(0).mean()))
