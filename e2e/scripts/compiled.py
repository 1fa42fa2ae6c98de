"""torch.compile: the model is compiled whole; nothing may break its graph. VIGIL_E2E_BACKEND names the backend."""

import os

import torch
from common import STEPS, Report, batches, blobs
from torch import nn

torch.manual_seed(0)
plain = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
model = torch.compile(plain, fullgraph=True, backend=os.environ.get("VIGIL_E2E_BACKEND", "aot_eager"))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
report = Report(plain)
x, y = blobs(1024, 20, 5)
for a, b in batches(x, y, 64, STEPS):
    optimizer.zero_grad()
    loss = criterion(model(a), b)
    loss.backward()
    optimizer.step()
    report.step(loss.item())
import torch._dynamo.utils  # noqa: E402

print("graphs %d" % torch._dynamo.utils.counters["stats"]["unique_graphs"])
print("breaks %d" % sum(torch._dynamo.utils.counters["graph_break"].values()))
report.done()
