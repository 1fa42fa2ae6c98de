# fault: none
# family: cnn
# split: tune
import os
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(int(os.environ.get("SEED", 0)))
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class TextureNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 5), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(2))
        self.classifier = nn.Linear(64, 6)

    def forward(self, x):
        x = self.features(x).flatten(1)
        return torch.log_softmax(self.classifier(x), dim=1)


freq = torch.rand(6, 2) * 2
grid = torch.stack(torch.meshgrid(torch.arange(18.), torch.arange(18.), indexing="ij"))


def sample(n):
    y = torch.randint(6, (n,))
    wave = torch.sin(torch.einsum("nk,khw->nhw", freq[y], grid) + 6.28 * torch.rand(n, 1, 1))
    x = wave[:, None].repeat(1, 3, 1, 1) + 0.3 * torch.randn(n, 3, 18, 18)
    return x.to(device), y.to(device)


net = TextureNet().to(device)
criterion = nn.NLLLoss()
optimizer = optim.Adam(net.parameters(), lr=0.004)
for epoch in range(4):
    for _ in range(35):
        x, y = sample(24)
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        xt, yt = sample(200)
        print("epoch %d loss %.3f acc %.3f" % (epoch, loss, (net(xt).argmax(1) == yt).float().mean()))
    net.train()
