# fault: class-labels-into-mse
# cause_class: loss, labels, structure
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile

import numpy as np
import torch
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainingArguments,
                          set_seed)

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)

INTENTS = ["refund", "greeting", "cancel", "agent", "hours", "track"]


class IntentData(torch.utils.data.Dataset):
    def __init__(self, n, offset):
        g = np.random.default_rng(SEED + offset)
        self.intent = g.integers(0, len(INTENTS), n)
        ids = g.integers(70, 150, (n, 12))
        key = 5 + self.intent[:, None] * 10 + g.integers(0, 10, (n, 12))
        self.ids = np.where(g.random((n, 12)) < 0.3, key, ids)
        self.ids[:, 0] = 1

    def __len__(self):
        return len(self.intent)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "attention_mask": np.ones(12, dtype=np.int64),
                "labels": float(self.intent[i])}


def metrics(out):
    guess = np.clip(np.rint(out.predictions.reshape(-1)), 0, len(INTENTS) - 1)
    return {"accuracy": float((guess == out.label_ids.reshape(-1)).mean())}


config = BertConfig(vocab_size=150, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                    intermediate_size=96, max_position_embeddings=32, num_labels=1)
model = BertForSequenceClassification(config)
args = TrainingArguments(
    output_dir=tempfile.mkdtemp(),
    learning_rate=1e-3,
    warmup_steps=20,
    per_device_train_batch_size=32,
    num_train_epochs=4,
    eval_strategy="epoch",
    logging_steps=25,
    save_strategy="no",
    report_to=[],
    use_cpu=True,
    disable_tqdm=True,
    seed=SEED,
)
trainer = Trainer(model=model, args=args, train_dataset=IntentData(1600, 1), eval_dataset=IntentData(400, 2),
                  compute_metrics=metrics)
trainer.train()
