# fault: running-statistics
# cause_class: eval-mode, structure
# family: resnet
# split: held
# needs: sklearn
"""Port of our Keras digit reader. Layer names and constants kept, so that it can be compared line by line."""
import os
from functools import partial
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(int(os.environ.get("SEED", "0")))

# slim.arg_scope of the original: batch_norm_decay=0.9997, batch_norm_epsilon=0.001
BN = partial(nn.BatchNorm2d, momentum=1 - 0.9997, eps=1e-3)


class ResBlock(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(ch, ch, 3, padding=1, bias=False), BN(ch)
        self.conv2, self.bn2 = nn.Conv2d(ch, ch, 3, padding=1, bias=False), BN(ch)

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(x + self.bn2(self.conv2(y)))


class Reader(nn.Module):
    def __init__(self, ch=12):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, ch, 3, padding=1, bias=False), BN(ch), nn.ReLU())
        self.blocks = nn.Sequential(ResBlock(ch), nn.MaxPool2d(2), ResBlock(ch))
        self.classifier = nn.Linear(ch * 16, 10)

    def forward(self, x):
        return self.classifier(self.blocks(self.stem(x)).flatten(1))


def fit(model, train, valid, epochs=6):
    opt = optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4)
    sched = optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    ce = nn.CrossEntropyLoss()
    history = {"loss": [], "accuracy": [], "val_loss": [], "val_accuracy": []}
    for epoch in range(epochs):
        model.train()
        s = n = c = 0
        for x, y in train:
            out = model(x)
            loss = ce(out, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            s += loss.item() * len(y); n += len(y); c += (out.argmax(1) == y).sum().item()
        sched.step()
        model.eval()
        with torch.inference_mode():
            parts = [(ce(o, y).item() * len(y), (o.argmax(1) == y).sum().item(), len(y)) for x, y in valid for o in [model(x)]]
        vl, vc, vn = map(sum, zip(*parts))
        for k, v in zip(history, (s / n, c / n, vl / vn, vc / vn)):
            history[k].append(v)
        print(f"Epoch {epoch + 1}/{epochs} - " + " - ".join(f"{k}: {v[-1]:.4f}" for k, v in history.items()))
    return history


d = load_digits()
x = torch.tensor(d.images / 16.0, dtype=torch.float32).unsqueeze(1)
y = torch.tensor(d.target)
xt, xv, yt, yv = train_test_split(x, y, test_size=0.25, random_state=0, stratify=y)
fit(Reader(), DataLoader(TensorDataset(xt, yt), 32, shuffle=True, drop_last=True), DataLoader(TensorDataset(xv, yv), 64))
