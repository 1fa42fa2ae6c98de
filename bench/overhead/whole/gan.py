"""A GAN of two multilayer networks on random images, with an optimiser each (Goodfellow et al., 2014)."""

import torch
from torch import nn

STEPS, BATCH, LATENT, HIDDEN, PIXELS = 600, 100, 64, 256, 784

torch.manual_seed(0)
images = torch.utils.data.TensorDataset(2 * torch.rand(6000, PIXELS) - 1)
loader = torch.utils.data.DataLoader(images, batch_size=BATCH, shuffle=True)
judge = nn.Sequential(
    nn.Linear(PIXELS, HIDDEN), nn.LeakyReLU(0.2), nn.Linear(HIDDEN, HIDDEN), nn.LeakyReLU(0.2), nn.Linear(HIDDEN, 1), nn.Sigmoid()
)  # fmt: skip
maker = nn.Sequential(nn.Linear(LATENT, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, PIXELS), nn.Tanh())
loss = nn.BCELoss()
judges = torch.optim.Adam(judge.parameters(), lr=2e-4)
makes = torch.optim.Adam(maker.parameters(), lr=2e-4)
true, false = torch.ones(BATCH, 1), torch.zeros(BATCH, 1)
for _ in range(STEPS * BATCH // len(images)):
    for (real,) in loader:
        made = maker(torch.randn(BATCH, LATENT))
        judged = loss(judge(real), true) + loss(judge(made.detach()), false)
        judges.zero_grad()
        judged.backward()
        judges.step()
        fooled = loss(judge(made), true)
        makes.zero_grad()
        fooled.backward()
        makes.step()
