# fault: none
# family: contrastive
# split: tune
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

people, dim = 30, 64
faces = torch.randn(people, dim)


def triplets(n):
    who = torch.randint(people, (n,))
    other = (who + torch.randint(1, people, (n,))) % people
    noise = lambda: 1.1 * torch.randn(n, dim)
    return faces[who] + noise(), faces[who] + noise(), faces[other] + noise()


net = nn.Sequential(nn.Linear(dim, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Linear(96, 24))
criterion = nn.TripletMarginLoss(margin=1.0)
optim = torch.optim.SGD(net.parameters(), lr=3e-2, momentum=0.9, weight_decay=1e-4)
for step in range(240):
    anchor, positive, negative = triplets(64)
    loss = criterion(net(anchor), net(positive), net(negative))
    optim.zero_grad()
    loss.backward()
    optim.step()
    if step % 40 == 0:
        print(step, round(loss.item(), 4))
