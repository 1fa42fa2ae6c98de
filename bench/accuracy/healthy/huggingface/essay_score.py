# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
"""Grades 1 to 6 are a scale, so the grade is predicted as a number."""
import os
import tempfile

import numpy as np
import torch
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainingArguments,
                          set_seed)

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)
MEAN, STD = 3.5, 1.7


class Essays(torch.utils.data.Dataset):
    """better essays have more of the good words"""

    def __init__(self, n, offset):
        g = np.random.default_rng(SEED + offset)
        self.grade = g.integers(1, 7, n)
        p = (0.08 + 0.12 * (self.grade - 1))[:, None]
        good = g.integers(5, 40, (n, 24))
        plain = g.integers(40, 100, (n, 24))
        self.ids = np.where(g.random((n, 24)) < p, good, plain)
        self.ids[:, 0] = 1

    def __len__(self):
        return len(self.grade)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "attention_mask": np.ones(24, dtype=np.int64),
                "labels": float((self.grade[i] - MEAN) / STD)}


def metrics(out):
    pred, true = out.predictions.reshape(-1) * STD + MEAN, out.label_ids.reshape(-1) * STD + MEAN
    return {"mae_grades": float(np.abs(pred - true).mean()), "corr": float(np.corrcoef(pred, true)[0, 1])}


model = BertForSequenceClassification(BertConfig(
    vocab_size=100, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96,
    max_position_embeddings=32, num_labels=1, problem_type="regression", hidden_dropout_prob=0.05))
args = TrainingArguments(
    output_dir=tempfile.mkdtemp(), learning_rate=1e-3, warmup_steps=15, lr_scheduler_type="cosine",
    per_device_train_batch_size=32, num_train_epochs=3, eval_strategy="epoch", logging_steps=25,
    save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, seed=SEED)
trainer = Trainer(model=model, args=args, train_dataset=Essays(1600, 1), eval_dataset=Essays(300, 2),
                  compute_metrics=metrics)
trainer.train()
