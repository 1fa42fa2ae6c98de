# fault: init-too-small
# cause_class: initialisation
# family: autoencoder
# split: tune
# twin: healthy/twins/spectra_tanh_small.py
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

D = 48
axis = torch.linspace(0, 1, D)
peaks = torch.rand(1200, 2, 1)
spectra = torch.exp(-(((axis - peaks[:, 0]) / 0.08) ** 2)) + 0.7 * torch.exp(-(((axis - peaks[:, 1]) / 0.05) ** 2))
spectra = spectra + 0.02 * torch.randn_like(spectra)
spectra = (spectra - spectra.mean()) / spectra.std()

scale = 0.03
sizes = [D, 32, 16, 6, 16, 32, D]
layers = []
for a, b in zip(sizes[:-1], sizes[1:]):
    linear = nn.Linear(a, b)
    linear.weight.data.uniform_(-scale, scale)
    linear.bias.data.zero_()
    layers += [linear, nn.Tanh()]
net = nn.Sequential(*layers[:-1])

optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(6):
    for i in torch.randperm(1200).split(40):
        optimizer.zero_grad()
        loss = F.mse_loss(net(spectra[i]), spectra[i])
        loss.backward()
        optimizer.step()
    print(epoch, round(loss.item(), 4))
