# fault: none
# family: rnn
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

GAIN = 1.0
drive = torch.randn(1200, 14, 3)
y = (drive[:, -4:].mean((1, 2)) > 0).long()
cell = nn.RNN(3, 32, batch_first=True)
head = nn.Linear(32, 2)
for n, p in list(cell.named_parameters()) + list(head.named_parameters()):
    if p.dim() > 1:
        nn.init.xavier_normal_(p, gain=GAIN)
    else:
        nn.init.zeros_(p)
opt = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.05, momentum=0.9)
for epoch in range(6):
    for b in torch.randperm(1200).split(40):
        out, _ = cell(drive[b])
        loss = nn.functional.cross_entropy(head(out[:, -1]), y[b])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(cell.parameters(), 1.0)
        opt.step()
    print("epoch", epoch, loss.item())
