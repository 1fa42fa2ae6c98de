# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
NUM_CLASSES = 5
proto = torch.randn(NUM_CLASSES, 13)
labels = torch.randint(NUM_CLASSES, (1500,))
inputs = proto[labels] + 0.8 * torch.randn(1500, 13)
inputs = (inputs - inputs.mean(0)) / inputs.std(0)

model = nn.Sequential(nn.Linear(13, 40), nn.ReLU(), nn.Linear(40, NUM_CLASSES), nn.LogSoftmax(dim=-1))
criterion = nn.NLLLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
running = 0
for step in range(1, 241):
    idx = torch.randint(0, 1500, (50,))
    optimizer.zero_grad()
    loss = criterion(model(inputs[idx]), labels[idx])
    loss.backward()
    optimizer.step()
    running += loss.item()
    if step % 40 == 0:
        print("step", step, "loss", running / 40)
        running = 0
