# fault: model-replaced
# cause_class: not-updated, optimizer
# family: rnn
# split: tune
import os
import copy
import tempfile
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Keyword(nn.Module):
    def __init__(self, bands=12, classes=4):
        super().__init__()
        self.rnn = nn.GRU(bands, 32, batch_first=True)
        self.fc = nn.Linear(32, classes)

    def forward(self, x):
        return self.fc(self.rnn(x)[0].mean(1))


def utterances(n):
    y = torch.randint(0, 4, (n,))
    t = torch.linspace(0, 1, 20)
    base = torch.sin(2 * torch.pi * (y[:, None, None] + 1) * t[None, :, None] + torch.arange(12) * 0.4)
    return base * 0.5 + 0.7 * torch.randn(n, 20, 12), y


class Session:
    def __init__(self):
        self.model = Keyword()
        self.opt = torch.optim.Adam(self.model.parameters(), lr=2e-3)
        self.best = None

    def save(self, path):
        torch.save({"model": self.model, "opt": self.opt.state_dict()}, path)

    def resume(self, path):
        blob = torch.load(path, weights_only=False)
        self.model = blob["model"]
        self.opt.load_state_dict(blob["opt"])

    def run(self, x, y, steps, tag):
        self.model.train()
        last = []
        for k in range(steps):
            i = torch.randint(0, len(x), (24,))
            loss = nn.functional.cross_entropy(self.model(x[i]), y[i])
            self.model.zero_grad()
            loss.backward()
            self.opt.step()
            last.append(loss.item())
            if k % 50 == 49:
                print(tag, k + 1, "loss %.4f" % (sum(last[-50:]) / 50))


x, y = utterances(1500)
s = Session()
with tempfile.TemporaryDirectory() as d:
    s.save(os.path.join(d, "start.pt"))
    s.resume(os.path.join(d, "start.pt"))
s.run(x, y, 300, "train")
s.model.eval()
xt, yt = utterances(300)
with torch.no_grad():
    print("accuracy %.3f" % (s.model(xt).argmax(1) == yt).float().mean().item())
