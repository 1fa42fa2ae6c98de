"""The two lines of control, and what they offer. Runs with ``vigil run``, without it, and with VIGIL=0."""

import torch
import vigil
import vigil.torch as vg
from common import STEPS, Report, batches, blobs
from torch import nn

torch.manual_seed(0)
hook = vg.Hook()
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
hook.register_module(model)
hook.register_loss(criterion)
hook.collection("first_layer", regex=r"^Sequential_0\.", every=5, raw=True)
report = Report(model)
x, y = blobs(1024, 20, 5)
for i, (a, b) in enumerate(batches(x, y, 64, STEPS)):
    hook.set_mode("train")
    optimizer.zero_grad()
    out = model(a)
    loss = criterion(out, b)
    loss.backward()
    if i == 3:
        hook.save_tensor("logits", out)
        hook.save_scalar("accuracy", (out.argmax(1) == b).float().mean())
    optimizer.step()
    report.step(loss.item())
    vigil.log({"seen": (i + 1) * 64})
    if i % 10 == 9:
        hook.set_mode(vg.modes.EVAL)
        with torch.no_grad():
            criterion(model(x[:64]), y[:64])
hook.close()
report.done()
