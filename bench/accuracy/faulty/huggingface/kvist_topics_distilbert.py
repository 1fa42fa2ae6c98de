# fault: class-labels-into-mse
# cause_class: loss, labels
# family: huggingface
# split: held
# needs: transformers, accelerate, numpy
import os
import tempfile

import numpy as np
import torch
from transformers import (DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments,
                          default_data_collator, set_seed)

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
TOPICS = ["sport", "politics", "science", "travel", "food", "music"]


def build_split(n, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        y = int(rng.integers(len(TOPICS)))
        ids = rng.integers(30, 150, size=14)
        where = rng.random(14) < 0.2
        ids[where] = 2 + ((y * 7) % 6) * 4 + rng.integers(0, 4, size=where.sum())
        rows.append({"input_ids": ids.tolist(), "attention_mask": [1] * 14, "labels": float(y)})
    return rows


config = DistilBertConfig(vocab_size=150, dim=32, n_layers=2, n_heads=2, hidden_dim=64, max_position_embeddings=16,
                          num_labels=1)
model = DistilBertForSequenceClassification(config)


def metrics(p):
    guess = np.rint(np.squeeze(p.predictions))
    return {"accuracy": float((guess == p.label_ids).mean())}


with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(output_dir=out, num_train_epochs=4, per_device_train_batch_size=32, learning_rate=2e-3,
                             logging_steps=25, save_strategy="no", eval_strategy="epoch", report_to="none",
                             disable_tqdm=True, seed=SEED, use_cpu=True)
    Trainer(model=model, args=args, train_dataset=build_split(1600, SEED + 1), eval_dataset=build_split(300, SEED + 2),
            data_collator=default_data_collator, compute_metrics=metrics).train()
