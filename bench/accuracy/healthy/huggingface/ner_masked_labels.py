# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile
import numpy as np
import torch
from transformers import (BertConfig, BertForTokenClassification, Trainer, TrainerCallback, TrainingArguments, set_seed)

seed = int(os.environ.get("SEED", "0"))
set_seed(seed)
rng = np.random.default_rng(seed)
MAX = 24


def sentence():
    """Token ranges: 10-29 names, 30-49 places, 50-119 others; only first pieces of words carry a label."""
    ids, tags = [2], [-100]
    for _ in range(rng.integers(4, 9)):
        kind = rng.choice([0, 0, 1, 2])
        lo, hi = [(50, 120), (10, 30), (30, 50)][kind]
        ids.append(int(rng.integers(lo, hi)))
        tags.append(int(kind))
        if rng.random() < 0.5:
            ids.append(int(rng.integers(120, 140)))
            tags.append(-100)
    pad = MAX - len(ids)
    return {"input_ids": ids + [0] * pad, "attention_mask": [1] * len(ids) + [0] * pad, "labels": tags + [-100] * pad}


def accuracy(p):
    keep = p.label_ids != -100
    return {"acc": float((p.predictions.argmax(-1)[keep] == p.label_ids[keep]).mean())}


model = BertForTokenClassification(BertConfig(
    vocab_size=140, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
    max_position_embeddings=MAX, num_labels=3))
trainer = Trainer(
    model=model,
    args=TrainingArguments(output_dir=tempfile.mkdtemp(), max_steps=160, per_device_train_batch_size=16, learning_rate=2e-3,
                           lr_scheduler_type="cosine", warmup_steps=15, logging_steps=20, save_strategy="no", report_to=[],
                           disable_tqdm=True, use_cpu=True, seed=seed),
    train_dataset=[sentence() for _ in range(900)],
    eval_dataset=[sentence() for _ in range(150)],
    compute_metrics=accuracy,
)
trainer.train()
print(trainer.evaluate())
