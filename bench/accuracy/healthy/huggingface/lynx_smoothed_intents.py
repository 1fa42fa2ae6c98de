# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate, numpy
import os
import tempfile
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
INTENTS = ["balance", "transfer", "card_lost", "opening_hours", "loan"]


class Intents(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, 5, n)
        self.len = rng.integers(6, 13, n)
        self.ids = rng.integers(60, 120, (n, 12))
        for i in range(n):
            for j in rng.choice(self.len[i] - 1, 3, replace=False) + 1:
                self.ids[i, j] = 5 + 10 * self.y[i] + rng.integers(0, 10)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"ids": self.ids[i, : self.len[i]], "y": int(self.y[i])}


def collate(rows):
    width = max(len(r["ids"]) for r in rows)
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    for k, r in enumerate(rows):
        ids[k, : len(r["ids"])] = torch.from_numpy(r["ids"])
    return {"input_ids": ids, "attention_mask": (ids > 0).long(), "labels": torch.tensor([r["y"] for r in rows])}


class SmoothTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        smoothing = 0.2 if model.training else 0.0
        loss = torch.nn.functional.cross_entropy(outputs.logits, labels, label_smoothing=smoothing)
        inputs["labels"] = labels
        return (loss, outputs) if return_outputs else loss


config = BertConfig(vocab_size=120, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                    max_position_embeddings=16, num_labels=5)
with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(tmp, num_train_epochs=3, per_device_train_batch_size=16, per_device_eval_batch_size=100,
                             learning_rate=1e-3, warmup_steps=20, lr_scheduler_type="cosine", weight_decay=0.01,
                             eval_strategy="epoch", logging_steps=20, save_strategy="no", report_to="none", use_cpu=True,
                             remove_unused_columns=False, disable_tqdm=True, seed=SEED)
    SmoothTrainer(BertForSequenceClassification(config), args, data_collator=collate, train_dataset=Intents(1200, SEED),
                  eval_dataset=Intents(200, SEED + 1),
                  compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}).train()
