# fault: none
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile

import numpy as np
import torch
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainingArguments,
                          set_seed)

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


def collate(rows):
    m = max(len(r["input_ids"]) for r in rows)
    ids = torch.zeros(len(rows), m, dtype=torch.long)
    att = torch.zeros(len(rows), m, dtype=torch.long)
    for i, r in enumerate(rows):
        ids[i, :len(r["input_ids"])] = torch.tensor(r["input_ids"])
        att[i, :len(r["input_ids"])] = 1
    return {"input_ids": ids, "attention_mask": att, "labels": torch.tensor([r["label"] for r in rows])}


def make(n, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        y = int(rng.integers(0, 2))
        length = int(rng.integers(6, 14))
        ids = rng.integers(24, 80, length)
        k = max(2, length // 3)
        ids[rng.permutation(length)[:k]] = rng.integers(4, 14, k) + 10 * y
        rows.append({"input_ids": [1] + ids.tolist() + [2], "label": y})
    return rows


config = BertConfig(vocab_size=80, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                    max_position_embeddings=32, num_labels=2)
with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(output_dir=out, num_train_epochs=4, per_device_train_batch_size=32, per_device_eval_batch_size=64,
                             learning_rate=2e-3, lr_scheduler_type="cosine", warmup_steps=15, label_smoothing_factor=0.1,
                             weight_decay=0.01, logging_steps=20, save_strategy="no", eval_strategy="epoch", report_to=[],
                             seed=SEED, use_cpu=True, disable_tqdm=True, remove_unused_columns=False)
    trainer = Trainer(model=BertForSequenceClassification(config), args=args, train_dataset=make(1000, SEED),
                      eval_dataset=make(200, SEED + 1), data_collator=collate,
                      compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())})
    trainer.train()
