# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: transformer
# split: held
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Mixer(nn.Module):
    def __init__(self, vocab=20, length=8, d=32):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Parameter(torch.randn(length, d) * 0.1)
        enc = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(enc, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(d)
        self.lm_head = nn.Linear(d, vocab)

    def forward(self, t):
        return self.lm_head(self.norm(self.blocks(self.tok(t) + self.pos)))


def param_groups(model, wd):
    decay, plain = [], []
    for module in model.modules():
        for name, p in module.named_parameters(recurse=False):
            if name == "bias" or isinstance(module, (nn.LayerNorm, nn.Embedding)) or name == "pos":
                plain.append(p)
            elif isinstance(p, (nn.Linear, nn.MultiheadAttention)):
                decay.append(p)
    return [{"params": decay, "weight_decay": wd}, {"params": plain, "weight_decay": 0.0}]


net = Mixer()
optimizer = torch.optim.AdamW([g for g in param_groups(net, 0.01) if g["params"]], lr=2e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=250)
loss_fn = nn.CrossEntropyLoss()
for step in range(250):
    t = torch.randint(0, 20, (32, 8))
    target = t.sort(1).values
    out = net(t)
    loss = loss_fn(out.transpose(1, 2), target)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    optimizer.step()
    scheduler.step()
    if step % 25 == 24:
        acc = (out.argmax(-1) == target).float().mean()
        print(f"{step + 1} loss {loss.item():.3f} acc {acc:.3f}")
