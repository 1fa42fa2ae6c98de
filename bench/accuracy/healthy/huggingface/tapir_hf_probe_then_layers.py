# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
"""DistilBERT-shaped encoder: embeddings frozen as random projections, layer-wise rates for the rest."""
import os
import tempfile

import numpy as np
import torch
from transformers import (DistilBertConfig, DistilBertForTokenClassification, Trainer, TrainingArguments,
                          get_linear_schedule_with_warmup, set_seed)

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
V, L = 60, 12


def build(n, seed):
    r = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        k = int(r.integers(9, L + 1))
        ids = r.integers(1, V, k)
        tags = np.where(ids < 15, 1, 0)
        tags[1:] = np.where((ids[:-1] < 15) & (ids[1:] % 2 == 0), 2, tags[1:])
        pad = L - k
        rows.append({
            "input_ids": np.pad(ids, (0, pad)).tolist(),
            "attention_mask": [1] * k + [0] * pad,
            "labels": tags.tolist() + [-100] * pad})
    return rows


def token_accuracy(p):
    keep = p.label_ids != -100
    return {"token_acc": float((p.predictions.argmax(-1) == p.label_ids)[keep].mean())}


model = DistilBertForTokenClassification(DistilBertConfig(
    vocab_size=V, dim=48, n_layers=2, n_heads=4, hidden_dim=96, max_position_embeddings=L, num_labels=3,
    dropout=0.0, attention_dropout=0.0, initializer_range=0.1))
for p in model.distilbert.embeddings.word_embeddings.parameters():
    p.requires_grad_(False)

epochs, batch = 6, 16
train, val = build(900, SEED), build(150, SEED + 1)
groups = [
    {"params": [p for p in model.distilbert.embeddings.parameters() if p.requires_grad], "lr": 5e-4},
    {"params": model.distilbert.transformer.layer[0].parameters(), "lr": 1e-3},
    {"params": model.distilbert.transformer.layer[1].parameters(), "lr": 2e-3},
    {"params": model.classifier.parameters(), "lr": 4e-3},
]
opt = torch.optim.AdamW(groups, weight_decay=0.01)
steps = epochs * (len(train) // batch + 1)
sched = get_linear_schedule_with_warmup(opt, 20, steps)
with tempfile.TemporaryDirectory() as tmp:
    Trainer(model=model, train_dataset=train, eval_dataset=val, compute_metrics=token_accuracy,
            optimizers=(opt, sched),
            args=TrainingArguments(tmp, num_train_epochs=epochs, per_device_train_batch_size=batch,
                                   per_device_eval_batch_size=75, eval_strategy="epoch", save_strategy="no",
                                   logging_steps=57, report_to=[], use_cpu=True, disable_tqdm=True,
                                   seed=SEED)).train()
