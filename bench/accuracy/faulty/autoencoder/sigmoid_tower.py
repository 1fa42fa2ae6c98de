# fault: vanishing-sigmoids
# cause_class: activation, structure
# family: autoencoder
# split: tune
# twin: healthy/twins/sigmoid_tower.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))


def tower(dims, last):
    seq = []
    for i in range(len(dims) - 1):
        seq.append(nn.Linear(dims[i], dims[i + 1]))
        if i < len(dims) - 2 or not last:
            seq.append(nn.Sigmoid())
    return seq


data = torch.sin(torch.randn(1600, 2) @ torch.randn(2, 24))
ae = nn.Sequential(*tower([24, 32, 32, 32, 8], False), *tower([8, 32, 32, 32, 24], True))
opt = torch.optim.SGD(ae.parameters(), lr=0.1, momentum=0.9)
mse = nn.MSELoss()
for epoch in range(8):
    for b in torch.randperm(1600).split(50):
        opt.zero_grad()
        loss = mse(ae(data[b]), data[b])
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", loss.item())
