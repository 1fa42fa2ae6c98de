# fault: none
# family: cnn
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))


def weights_init(m):
    if type(m) in (nn.Conv2d, nn.Linear):
        torch.nn.init.xavier_uniform_(m.weight)
        m.bias.data.fill_(0)


stamp = torch.randn(4, 1, 5, 5) * 1.2
lab = torch.randint(4, (1000,))
img = 0.5 * torch.randn(1000, 1, 12, 12)
for i, c in enumerate(lab.tolist()):
    r, s = torch.randint(0, 8, (2,)).tolist()
    img[i, :, r:r + 5, s:s + 5] += stamp[c]
net = nn.Sequential(nn.Conv2d(1, 12, 5), nn.ReLU(), nn.Conv2d(12, 12, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 4))
net.apply(weights_init)
opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
ce = nn.CrossEntropyLoss()
for epoch in range(7):
    for b in torch.randperm(1000).split(25):
        opt.zero_grad()
        loss = ce(net(img[b]), lab[b])
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", round(loss.item(), 4))
