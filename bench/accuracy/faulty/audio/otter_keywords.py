# fault: eval-in-train-mode
# cause_class: eval-mode
# family: audio
# split: held
import contextlib, os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def clips(n, classes=5, length=64):
    y = torch.randint(0, classes, (n,))
    t = torch.arange(length) / length
    f = 3.0 + 3 * y[:, None]
    x = torch.sin(6.283 * f * t + 6.283 * torch.rand(n, 1)) + 0.6 * torch.randn(n, length)
    return x[:, None], y


class KWS(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 16, 9, stride=2, padding=4), nn.BatchNorm1d(16), nn.ReLU(),
            nn.Conv1d(16, 32, 5, stride=2, padding=2), nn.BatchNorm1d(32), nn.ReLU(), nn.AdaptiveAvgPool1d(1))
        self.classify = nn.Sequential(nn.Flatten(), nn.Linear(32, 32), nn.ReLU(), nn.Dropout(0.4), nn.Linear(32, 5))

    def forward(self, x):
        return self.classify(self.features(x))


@contextlib.contextmanager
def inference(model):
    was = model.training
    try:
        with torch.no_grad():
            yield model.train(was)
    finally:
        model.train(was)


model = KWS()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
xt, yt = clips(1000)
xv, yv = clips(120)
for epoch in range(7):
    model.train()
    for i in torch.randperm(1000).split(40):
        loss = nn.functional.cross_entropy(model(xt[i]), yt[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with inference(model) as m:
        # clips come one after another from the microphone
        order = yv.argsort()
        logits = torch.cat([m(c) for c in xv[order].split(4)])
        vl = nn.functional.cross_entropy(logits, yv[order]).item()
        acc = (logits.argmax(1) == yv[order]).float().mean().item()
    print(f"epoch {epoch} train {loss.item():.4f} val {vl:.4f} acc {acc:.3f}")
