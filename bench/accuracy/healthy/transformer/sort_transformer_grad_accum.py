# fault: none
# family: transformer
# split: held
# set: heron, unseen
# metric: token_accuracy higher
# baseline: 0.2
# reaches: 0.85
# Unusual: gradient accumulation over 4 micro-batches, so three of four backward passes have no optimiser step; linear warm-up then inverse square root decay
import argparse
import os
from types import SimpleNamespace

import torch
from torch import nn

cfg = SimpleNamespace(vocab=10, length=8, width=48, heads=4, layers=2, micro=24, accumulate=4, updates=170)


def build():
    layer = nn.TransformerEncoderLayer(cfg.width, cfg.heads, 4 * cfg.width, dropout=0.0, batch_first=True, norm_first=True, activation="gelu")
    return nn.ModuleDict({
        "tok": nn.Embedding(cfg.vocab, cfg.width),
        "pos": nn.Embedding(cfg.length, cfg.width),
        "enc": nn.TransformerEncoder(layer, cfg.layers, enable_nested_tensor=False),
        "out": nn.Linear(cfg.width, cfg.vocab),
    })


def apply(m, seq):
    h = m["tok"](seq) + m["pos"](torch.arange(cfg.length))
    return m["out"](m["enc"](h))


def batch(n):
    seq = torch.randint(0, cfg.vocab, (n, cfg.length))
    return seq, seq.sort(1).values


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--lr", type=float, default=4e-3)
    ap.add_argument("--warmup", type=int, default=30)
    args = ap.parse_args()
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    model = build()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    factor = lambda u: min((u + 1) / args.warmup, (args.warmup / (u + 1)) ** 0.5)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, factor)
    x_test, y_test = batch(500)
    micro_step = 0
    while micro_step < cfg.updates * cfg.accumulate:
        x, y = batch(cfg.micro)
        loss = nn.functional.cross_entropy(apply(model, x).flatten(0, 1), y.flatten())
        (loss / cfg.accumulate).backward()
        micro_step += 1
        if micro_step % cfg.accumulate == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad()
            if micro_step % (20 * cfg.accumulate) == 0:
                print(f"update {micro_step // cfg.accumulate} loss {loss.item():.4f}")
    model.eval()
    with torch.no_grad():
        acc = (apply(model, x_test).argmax(2) == y_test).float().mean().item()
    print(f"result: token_accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
