# fault: none
# family: accelerate
# split: held
# needs: accelerate
"""Knowledge distillation: half soft answers of the teacher, half hard labels."""
import os

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CLASSES, FEATURES, T, ALPHA = 6, 16, 3.0, 0.5


def mlp(width, depth):
    layers, d = [], FEATURES
    for _ in range(depth):
        layers += [nn.Linear(d, width), nn.ReLU()]
        d = width
    return nn.Sequential(*layers, nn.Linear(d, CLASSES))


def distill(student_logits, teacher_logits, y):
    soft = F.kl_div(F.log_softmax(student_logits / T, -1), F.log_softmax(teacher_logits / T, -1),
                    reduction="batchmean", log_target=True) * T * T
    return ALPHA * soft + (1 - ALPHA) * F.cross_entropy(student_logits, y)


def run(accelerator, model, loss_fn, loader, valid, epochs, lr, name):
    model, opt = accelerator.prepare(model, torch.optim.AdamW(model.parameters(), lr=lr))
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            opt.zero_grad()
            loss = loss_fn(model(x), x, y)
            accelerator.backward(loss)
            opt.step()
            total += loss.item()
        model.eval()
        with torch.inference_mode():
            acc = (model(valid[0]).argmax(1) == valid[1]).float().mean()
        accelerator.print(f"{name} {epoch} loss {total / len(loader):.4f} acc {acc:.3f}")
    return model


def main():
    set_seed(int(os.environ.get("SEED", "0")))
    accelerator = Accelerator(cpu=True)
    w1, w2 = torch.randn(FEATURES, 12) / 2, torch.randn(12, CLASSES)
    def make(n):
        x = torch.randn(n, FEATURES)
        return x, (torch.tanh(x @ w1) @ w2).argmax(1)
    loader = accelerator.prepare(DataLoader(TensorDataset(*make(4000)), batch_size=100, shuffle=True))
    valid = make(1000)
    teacher = run(accelerator, mlp(96, 2), lambda out, x, y: F.cross_entropy(out, y), loader, valid, 4, 2e-3, "teacher")
    teacher.eval().requires_grad_(False)
    run(accelerator, mlp(24, 1), lambda out, x, y: distill(out, teacher(x), y), loader, valid, 8, 4e-3, "student")


if __name__ == "__main__":
    main()
