# fault: none
# family: finetune
# split: tune
# Half of the training, a checkpoint on disk, new objects, the second half from it.
import os
import tempfile

import torch
from torch import nn
from torch.optim.lr_scheduler import MultiStepLR

torch.manual_seed(int(os.environ.get("SEED", "0")))

centres = 1.4 * torch.randn(7, 12)
labels = torch.randint(0, 7, (1400,))
points = centres[labels] + torch.randn(1400, 12)


def build():
    model = nn.Sequential(nn.Linear(12, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 7))
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    return model, opt, MultiStepLR(opt, milestones=[4, 7], gamma=0.2)


def run(model, opt, sched, epochs, log):
    ce = nn.CrossEntropyLoss()
    for _ in epochs:
        model.train()
        for i in torch.randperm(1400).split(70):
            opt.zero_grad()
            loss = ce(model(points[i]), labels[i])
            loss.backward()
            opt.step()
            log.append(loss.item())
        sched.step()


with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "ckpt.pt")
    log = []
    model, opt, sched = build()
    run(model, opt, sched, range(0, 5), log)
    torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict(), "epoch": 5}, path)
    del model, opt, sched

    ckpt = torch.load(path)
    model, opt, sched = build()
    model.load_state_dict(ckpt["model"])
    opt.load_state_dict(ckpt["opt"])
    sched.load_state_dict(ckpt["sched"])
    run(model, opt, sched, range(ckpt["epoch"], 10), log)
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
