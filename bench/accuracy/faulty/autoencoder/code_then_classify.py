# fault: softmax-twice
# cause_class: output-activation
# family: autoencoder
# split: tune
"""Unsupervised pretraining of an encoder, then a classifier on its codes."""
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
centres = torch.randn(5, 20) * 1.3
y = torch.randint(5, (2000,))
x = centres[y] + torch.randn(2000, 20)
x = (x - x.mean(0)) / x.std(0)

encoder = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 8))
decoder = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 20))
opt = torch.optim.Adam(list(encoder.parameters()) + list(decoder.parameters()), lr=2e-3)
for epoch in range(5):
    for i in torch.randperm(2000).split(64):
        loss = nn.functional.mse_loss(decoder(encoder(x[i])), x[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
print("autoencoder", loss.item())

with torch.no_grad():
    codes = encoder(x)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 48)
        self.out = nn.Linear(48, 5)

    def forward(self, z):
        return self.out(torch.relu(self.hidden(z))).softmax(dim=1)


clf = Classifier()
clf_opt = torch.optim.Adam(clf.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(8):
    for i in torch.randperm(2000).split(64):
        clf_opt.zero_grad()
        out = criterion(clf(codes[i]), y[i])
        out.backward()
        clf_opt.step()
    print(epoch, out.item())
