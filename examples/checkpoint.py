"""A training that goes on from its checkpoint when it is started again.

vigil run --name night -- python checkpoint.py
vigil run --resume night -- python checkpoint.py 8
"""

import os
import sys

import torch
from torch import nn

FILE = "checkpoint.pt"
EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 4
KILLED_AT = int(os.environ.get("KILLED_AT", -1))  # an update at which the process dies, to try it out

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(512, 10)
y = (x[:, :5].sum(1) > x[:, 5:].sum(1)).long()
model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.5)
criterion = nn.CrossEntropyLoss()

begin = updates = 0
if os.path.exists(FILE):
    state = torch.load(FILE)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    begin, updates = state["epoch"], state["updates"]

for epoch in range(begin, EPOCHS):
    model.train()
    for at in range(0, 384, 16):
        if updates == KILLED_AT and begin == 0:
            os.kill(os.getpid(), 9)
        optimizer.zero_grad()
        criterion(model(x[at : at + 16]), y[at : at + 16]).backward()
        optimizer.step()
        updates += 1
    model.eval()
    with torch.no_grad():
        for at in range(384, 512, 32):
            loss = criterion(model(x[at : at + 32]), y[at : at + 32])
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch + 1, "updates": updates}
    torch.save(state, FILE + ".new")
    os.replace(FILE + ".new", FILE)
