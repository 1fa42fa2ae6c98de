# fault: none
# family: sequence
# split: held
# set: vole, unseen
# needs: transformers, accelerate
"""Address / person tagger for the parcel desk. BIO tags over free text lines, small BERT trained from scratch with accelerate."""
import argparse
import os
import random

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForTokenClassification, get_linear_schedule_with_warmup

TAGS = ["O", "B-PER", "I-PER", "B-STR", "I-STR", "B-CITY"]
TAG2ID = {t: i for i, t in enumerate(TAGS)}
FIRST = [f"first{i}" for i in range(30)]
LAST = [f"last{i}" for i in range(30)]
STREET = [f"street{i}" for i in range(30)]
NUM = [f"{i}" for i in range(1, 20)]
CITY = [f"city{i}" for i in range(25)]
# names that are also streets or cities: only the words around them tell
SHARED = [f"shared{i}" for i in range(25)]
FILL = [f"w{i}" for i in range(50)] + ["please", "parcel", "leave", "door", "thanks"]
VOCAB = {w: i + 1 for i, w in enumerate(FIRST + LAST + STREET + NUM + CITY + SHARED + FILL + ["for", "at", "in", "road"])}
PAD = 0


def make_line(rng):
    toks, tags = [], []

    def put(words, labels):
        toks.extend(words)
        tags.extend(labels)

    def fill(lo, hi):
        n = rng.randint(lo, hi)
        put(rng.choices(FILL, k=n), ["O"] * n)

    fill(1, 5)
    parts = ["per", "str", "city"]
    rng.shuffle(parts)
    for p in parts[: rng.randint(1, 3)]:
        if p == "per":
            put(["for"], ["O"])
            put([rng.choice(FIRST + SHARED), rng.choice(LAST)], ["B-PER", "I-PER"])
        elif p == "str":
            put(["at"], ["O"])
            put([rng.choice(STREET + SHARED), "road", rng.choice(NUM)], ["B-STR", "I-STR", "I-STR"])
        else:
            put(["in"], ["O"])
            put([rng.choice(CITY + SHARED)], ["B-CITY"])
        fill(1, 3)
    return [VOCAB[t] for t in toks], [TAG2ID[t] for t in tags]


def collate(batch):
    ids = pad_sequence([torch.tensor(x) for x, _ in batch], batch_first=True, padding_value=PAD)
    labels = pad_sequence([torch.tensor(y) for _, y in batch], batch_first=True, padding_value=-100)
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": labels}


def macro_f1(pred, gold):
    scores = []
    for c in range(1, len(TAGS)):
        tp = ((pred == c) & (gold == c)).sum()
        scores.append(2 * tp / max(1, (pred == c).sum() + (gold == c).sum()))
    return float(np.mean(scores))


def evaluate(model, loader):
    model.eval()
    p, g = [], []
    with torch.no_grad():
        for batch in loader:
            logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
            keep = batch["labels"] != -100
            p.append(logits.argmax(-1)[keep])
            g.append(batch["labels"][keep])
    return macro_f1(torch.cat(p).numpy(), torch.cat(g).numpy())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lr", type=float, default=4e-3)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--train-lines", type=int, default=1024)
    ap.add_argument("--warmup", type=int, default=20)
    ap.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
    args = ap.parse_args()
    set_seed(args.seed)
    rng = random.Random(args.seed)
    train = [make_line(rng) for _ in range(args.train_lines)]
    valid = [make_line(rng) for _ in range(256)]

    accelerator = Accelerator(cpu=True)
    config = BertConfig(vocab_size=len(VOCAB) + 1, hidden_size=40, num_hidden_layers=2, num_attention_heads=4, intermediate_size=80,
                        max_position_embeddings=160, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1,
                        pad_token_id=PAD, num_labels=len(TAGS))
    model = BertForTokenClassification(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    train_loader = DataLoader(train, batch_size=args.batch_size, shuffle=True, collate_fn=collate)
    valid_loader = DataLoader(valid, batch_size=64, collate_fn=collate)
    scheduler = get_linear_schedule_with_warmup(optimizer, args.warmup, args.epochs * len(train_loader))
    model, optimizer, train_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, scheduler)

    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for batch in train_loader:
            out = model(**batch)
            loss = out.loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            total += loss.item()
        accelerator.print(f"epoch {epoch}  loss {total / len(train_loader):.4f}")
    accelerator.print(f"METRIC valid_f1 {evaluate(model, valid_loader):.4f}")


if __name__ == "__main__":
    main()
