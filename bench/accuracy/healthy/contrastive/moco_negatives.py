# fault: none
# family: contrastive
# split: held
"""MoCo on clusters of vectors: queue of keys, momentum encoder."""
import copy
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
K, DIM, M, TEMP = 512, 16, 0.98, 0.2
base = torch.randn(1500, 8) @ torch.randn(8, 32)
base = base / base.std()


def augment(x):
    keep = (torch.rand_like(x) > 0.2).float()
    return (x + 0.2 * torch.randn_like(x)) * keep


class MoCo(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder_q = nn.Sequential(nn.Linear(32, 96), nn.ReLU(), nn.Linear(96, DIM))
        self.encoder_k = copy.deepcopy(self.encoder_q)
        for p in self.encoder_k.parameters():
            p.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(K, DIM), dim=1))
        self.ptr = 0

    @torch.no_grad()
    def update_key_encoder(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.data = k.data * M + q.data * (1 - M)

    @torch.no_grad()
    def enqueue(self, k):
        self.queue[self.ptr:self.ptr + len(k)] = k
        self.ptr = (self.ptr + len(k)) % K

    def forward(self, xq, xk):
        q = F.normalize(self.encoder_q(xq), dim=1)
        with torch.no_grad():
            self.update_key_encoder()
            k = F.normalize(self.encoder_k(xk), dim=1)
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.clone().t()
        self.enqueue(k)
        return torch.cat([pos, neg], 1) / TEMP


model = MoCo()
opt = torch.optim.SGD(model.encoder_q.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
for epoch in range(24):
    tot = hit = 0.0
    for idx in torch.randperm(1472).split(64):
        logits = model(augment(base[idx]), augment(base[idx]))
        loss = F.cross_entropy(logits, torch.zeros(len(idx), dtype=torch.long))
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 23
        hit += (logits.argmax(1) == 0).sum().item() / 1472
    if epoch % 3 == 0 or epoch == 23:
        print(f"epoch {epoch} loss {tot:.3f} top1 of {K + 1}: {hit:.3f}")
