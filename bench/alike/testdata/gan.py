"""Two networks with an optimiser each; both are saved whole, and samples are written as text."""

import torch
from torch import nn

torch.manual_seed(4)
generator = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
critic = nn.Sequential(nn.utils.spectral_norm(nn.Linear(2, 16)), nn.LeakyReLU(0.2), nn.Linear(16, 1))
loss = nn.BCEWithLogitsLoss()
of_generator = torch.optim.Adam(generator.parameters(), lr=0.002, betas=(0.5, 0.999))
of_critic = torch.optim.Adam(critic.parameters(), lr=0.002, betas=(0.5, 0.999))
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
for step in range(20):
    real = torch.randn(16, 2) * 0.5 + 2
    false = generator(torch.randn(16, 4))
    of_critic.zero_grad()
    d = loss(critic(real), ones) + loss(critic(false.detach()), zeros)
    d.backward()
    of_critic.step()
    of_generator.zero_grad()
    g = loss(critic(false), ones)
    g.backward()
    of_generator.step()
    if step % 5 == 0:
        print("[%d] critic %.6f generator %.6f" % (step, d.item(), g.item()))
        torch.save([generator, critic], "networks.pt")
with torch.no_grad(), open("samples.txt", "w") as file:
    file.writelines("%.6f %.6f\n" % tuple(row) for row in generator(torch.randn(5, 4)).tolist())
