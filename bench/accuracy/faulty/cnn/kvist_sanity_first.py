# fault: train-in-eval-mode
# cause_class: eval-mode, structure
# family: cnn
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def rings(n):
    y = torch.randint(0, 4, (n,))
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, 20), torch.linspace(-1, 1, 20), indexing="ij")
    r = (xx ** 2 + yy ** 2).sqrt()
    rad = 0.25 + 0.2 * y.float()[:, None, None] + 0.03 * torch.randn(n, 1, 1)
    img = torch.exp(-((r - rad) / 0.1) ** 2) + 0.8 * torch.randn(n, 20, 20)
    return img.unsqueeze(1), y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        def cbr(i, o, stride=1):
            return [nn.Conv2d(i, o, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU()]
        deep = [m for _ in range(10) for m in cbr(16, 16)]
        self.features = nn.Sequential(*cbr(1, 16, 2), *cbr(16, 16, 2), *deep)
        self.cls = nn.Linear(16 * 25, 4)

    def forward(self, x):
        return self.cls(self.features(x).flatten(1))


class Runner:
    def __init__(self, net, train, val, lr=1e-3):
        self.net, self.train_set, self.val_set = net, train, val
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.crit = nn.CrossEntropyLoss()

    @torch.inference_mode()
    def validate(self):
        self.net.eval()
        x, y = self.val_set
        out = self.net(x)
        return self.crit(out, y).item(), (out.argmax(1) == y).float().mean().item()

    def one_epoch(self, bs=32):
        x, y = self.train_set
        tot, k = 0.0, 0
        for b in torch.randperm(len(x)).split(bs):
            loss = self.crit(self.net(x[b]), y[b])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            tot, k = tot + loss.item(), k + 1
        return tot / k

    def run(self, epochs):
        self.net.train()
        print("sanity check: loss %.3f acc %.3f" % self.validate())
        for e in range(epochs):
            l = self.one_epoch()
            print(f"epoch {e} train {l:.4f}", "val %.4f acc %.3f" % self.validate())


Runner(Net(), rings(1280), rings(300)).run(4)
