"""The training of `vigil demo` in PyTorch: an ordinary script, nothing of Vigil in it.

Usage: demo.py FAULT SECONDS
"""

import sys
import time

import torch
from torch import nn

FEATURES, CLASSES, BATCH = 32, 10, 64


def stack(sizes, activation):
    layers = []
    for fan_in, fan_out in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(fan_in, fan_out), activation()]
    return nn.Sequential(*layers[:-1])


def build(fault):
    """The model and the learning rate."""
    if fault == "vanishing":
        return stack([FEATURES] + [64] * 10 + [CLASSES], nn.Sigmoid), 0.1
    model = stack([FEATURES, 128, 128, CLASSES], nn.ReLU)
    for layer in model:
        if isinstance(layer, nn.Linear):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)
    if fault == "dead-relu":
        for layer in model[:-1]:
            if isinstance(layer, nn.Linear):
                nn.init.constant_(layer.bias, -12.0)
    return model, {"exploding": 50.0, "plateau": 5e-8}.get(fault, 0.05)


def main():
    fault, seconds = sys.argv[1], float(sys.argv[2])
    torch.manual_seed(7)
    torch.set_num_threads(1)
    centres = 0.7 * torch.randn(CLASSES, FEATURES)
    model, rate = build(fault)
    optimiser = torch.optim.SGD(model.parameters(), lr=rate)
    criterion = nn.CrossEntropyLoss()
    end = time.monotonic() + seconds
    step = 0
    while time.monotonic() < end:
        labels = torch.randint(CLASSES, (BATCH,))
        samples = centres[labels] + torch.randn(BATCH, FEATURES)
        optimiser.zero_grad()
        loss = criterion(model(samples), labels)
        loss.backward()
        optimiser.step()
        if step % 50 == 0:
            print("step %d, loss %.4f" % (step, loss.item()), flush=True)
        step += 1
        time.sleep(0.025)  # a person has to be able to follow


if __name__ == "__main__":
    main()
