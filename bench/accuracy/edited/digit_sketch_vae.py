# fault: none
# family: generative
# split: held
# set: vole, unseen
# %% [markdown]
# ## VAE on the little digit sketches (14x14, grey) -- notebook export

# %%
import os, math, random
import numpy as np
import torch, torch.nn as nn, torch.nn.functional as F

seed = int(os.environ.get('SEED', 0))
random.seed(seed); np.random.seed(seed); torch.manual_seed(seed)

# %% data: seven-segment digits with jitter, thickness and pressure
H = W = 14
SEG = {'a': (0, 0, 0, 1), 'b': (0, 1, 1, 1), 'c': (1, 1, 2, 1), 'd': (2, 0, 2, 1), 'e': (1, 0, 2, 0), 'f': (0, 0, 1, 0), 'g': (1, 0, 1, 1)}
DIGITS = ['abcdef', 'bc', 'abged', 'abgcd', 'fgbc', 'afgcd', 'afgedc', 'abc', 'abcdefg', 'abcdfg']
yy, xx = torch.meshgrid(torch.arange(H).float(), torch.arange(W).float(), indexing='ij')

def sketch(k):
    s, ox, oy = 3.6 + 0.8 * random.random(), 4.2 + 1.6 * random.random(), 2.4 + 1.2 * random.random()
    width = 0.55 + 0.5 * random.random()
    img = torch.zeros(H, W)
    for c in DIGITS[k]:
        r0, c0, r1, c1 = SEG[c]
        y0, x0, y1, x1 = oy + s * r0, ox + s * c0, oy + s * r1, ox + s * c1
        L2 = (y1 - y0) ** 2 + (x1 - x0) ** 2
        t = (((yy - y0) * (y1 - y0) + (xx - x0) * (x1 - x0)) / L2).clamp(0, 1)
        d2 = (yy - y0 - t * (y1 - y0)) ** 2 + (xx - x0 - t * (x1 - x0)) ** 2
        img = torch.maximum(img, torch.exp(-d2 / (2 * width ** 2)))
    return (img * (200 + 55 * random.random())).round().clamp(0, 255)

def build(n):
    ks = [random.randrange(10) for _ in range(n)]
    return torch.stack([sketch(k) for k in ks]).to(torch.uint8)

train_raw, valid_raw = build(1024), build(256)
X_train = train_raw.float().view(-1, H * W) / 255.
X_valid = valid_raw.float().view(-1, H * W) / 255.

# %% model
LATENT, HIDDEN, BATCH, EPOCHS, LR = 8, 96, 64, 24, 3e-3

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(H * W, HIDDEN)
        self.fc2 = nn.Linear(HIDDEN, HIDDEN)
        self.mu = nn.Linear(HIDDEN, LATENT)
        self.logvar = nn.Linear(HIDDEN, LATENT)
    def forward(self, x):
        h = F.relu(self.fc1(x))
        h = F.relu(self.fc2(h))
        return self.mu(h), self.logvar(h)

class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(LATENT, HIDDEN)
        self.fc2 = nn.Linear(HIDDEN, HIDDEN)
        self.out = nn.Linear(HIDDEN, H * W)
    def forward(self, z):
        h = F.relu(self.fc1(z))
        h = F.relu(self.fc2(h))
        return torch.sigmoid(self.out(h))

def reparameterize(mu, logvar):
    std = torch.exp(0.5 * logvar)
    return mu + std * torch.randn_like(std)

def vae_loss(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction='sum')
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (bce + kld) / x.size(0), bce / x.size(0), kld / x.size(0)

enc, dec = Encoder(), Decoder()
params = list(enc.parameters()) + list(dec.parameters())
optimizer = torch.optim.Adam(params, lr=LR)

# %% train
for epoch in range(1, EPOCHS + 1):
    enc.train(); dec.train()
    order = torch.randperm(len(X_train))
    sums = np.zeros(3)
    for start in range(0, len(order), BATCH):
        x = X_train[order[start:start + BATCH]]
        mu, logvar = enc(x)
        z = reparameterize(mu, logvar)
        recon = dec(z)
        loss, bce, kld = vae_loss(recon, x, mu, logvar)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        sums += np.array([loss.item(), bce.item(), kld.item()]) * len(x)
    if epoch % 4 == 0:
        print('epoch %2d  loss %.3f  bce %.3f  kld %.3f' % ((epoch,) + tuple(sums / len(X_train))))

# %% how good are the reconstructions? (1.0 = all of the pixel variance explained)
enc.eval(); dec.eval()
with torch.no_grad():
    mu, _ = enc(X_valid)
    recon = dec(mu)
    r2 = 1 - ((recon - X_valid) ** 2).sum() / ((X_valid - X_valid.mean(0)) ** 2).sum()
print('METRIC recon_r2 %.4f' % r2.item())
