# fault: class-labels-into-mse
# cause_class: loss, labels
# family: vision
# split: tune
# set: quokka, unseen
import os
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
GLYPHS = (torch.rand(10, 1, 8, 8, generator=torch.Generator().manual_seed(7)) > 0.6).float()


class Glyphs(Dataset):
    def __init__(self, n):
        self.y = torch.randint(0, 10, (n,))
        self.x = GLYPHS[self.y] + 0.5 * torch.randn(n, 1, 8, 8)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"image": self.x[i], "label": self.y[i]}


class Net(nn.Module):
    def __init__(self, num_outputs=1):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2))
        self.classifier = nn.Linear(24 * 4, num_outputs)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def criterion(out, batch):
    return F.mse_loss(out.squeeze(1), batch["label"].float())


def accuracy(model, ds):
    model.eval()
    with torch.no_grad():
        guess = model(ds.x).squeeze(1).round().clamp(0, 9).long()
    return (guess == ds.y).float().mean().item()


train, test = Glyphs(2000), Glyphs(400)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    model.train()
    total = 0.0
    for batch in DataLoader(train, batch_size=32, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(model(batch["image"]), batch)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch}: loss {total / 63:.3f} accuracy {accuracy(model, test):.3f}")
