# fault: mostly-padding
# cause_class: data-loading, labels, loss
# family: trainers
# split: held
# set: swan, unseen
# needs: transformers, accelerate
"""Causal LM on short arithmetic strings, own collator."""
import os
import random
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed
from transformers.utils import logging

logging.set_verbosity_error()
SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)

CHARS = ["<pad>", "<eos>"] + list("0123456789+=")
STOI = {c: i for i, c in enumerate(CHARS)}
MAX_LEN = 96


def encode(text):
    return [STOI[c] for c in text] + [STOI["<eos>"]]


def corpus(n, rng):
    out = []
    for _ in range(n):
        a, b = rng.randrange(5), rng.randrange(5)
        out.append({"ids": encode(f"{a}+{b}={a + b}")})
    return out


def collate(rows):
    batch = torch.full((len(rows), MAX_LEN), STOI["<pad>"])
    for r, row in zip(batch, rows):
        r[:len(row["ids"])] = torch.tensor(row["ids"])
    return {"input_ids": batch, "labels": batch.clone()}


class LM(GPT2LMHeadModel):
    pass


def solve(model, a, b):
    model.eval()
    ids = torch.tensor([[STOI[c] for c in f"{a}+{b}="]])
    for _ in range(3):
        with torch.no_grad():
            ids = torch.cat([ids, model(input_ids=ids).logits[:, -1:].argmax(-1)], 1)
    text = "".join(CHARS[i] for i in ids[0].tolist())
    return text.split("<eos>")[0].split("<pad>")[0] == f"{a}+{b}={a + b}"


rng = random.Random(SEED)
cfg = GPT2Config(vocab_size=len(CHARS), n_positions=MAX_LEN, n_embd=32, n_layer=2, n_head=2, resid_pdrop=0.0,
                 embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=1, eos_token_id=1)
model = LM(cfg)
with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(output_dir=out, max_steps=150, per_device_train_batch_size=16, learning_rate=2e-3,
                             lr_scheduler_type="cosine", warmup_steps=10, logging_steps=15, save_strategy="no",
                             remove_unused_columns=False, report_to=[], seed=SEED, use_cpu=True, disable_tqdm=True)
    Trainer(model=model, args=args, train_dataset=corpus(2400, rng), data_collator=collate).train()
print("solved", sum(solve(model, a, b) for a in range(5) for b in range(5)), "of 25")
