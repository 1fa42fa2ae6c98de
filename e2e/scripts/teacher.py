"""Distillation: a teacher runs without gradients inside each training step, and an average of the student follows it."""

import copy

import torch
import torch.nn.functional as F
from common import STEPS, Report, batches, blobs
from torch import nn

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
student = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 5))
average = copy.deepcopy(student)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)
report = Report(student, average)
x, y = blobs(1024, 20, 5)
for a, b in batches(x, y, 64, STEPS):
    logits = student(a)
    with torch.no_grad():
        target = F.softmax(teacher(a), dim=1)
        average(a)
    loss = F.cross_entropy(logits, b) + 0.5 * F.kl_div(F.log_softmax(logits, dim=1), target, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p, q in zip(average.parameters(), student.parameters()):
            p.lerp_(q, 0.05)
    report.step(loss.item())
report.done()
