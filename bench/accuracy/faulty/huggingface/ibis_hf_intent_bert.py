# fault: learning-rate-too-high
# cause_class: learning-rate
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import random
import tempfile

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)

INTENTS = {
    "weather": ["rain", "sun", "forecast", "cold", "umbrella", "wind"],
    "music": ["song", "play", "album", "artist", "volume", "louder"],
    "alarm": ["wake", "timer", "morning", "snooze", "minutes", "remind"],
    "travel": ["flight", "train", "hotel", "ticket", "airport", "city"],
}
FILLER = "the a please could you me for to is it what will in my now today".split()
vocab = {"[PAD]": 0, "[CLS]": 1}
for w in FILLER + sum(INTENTS.values(), []):
    vocab.setdefault(w, len(vocab))


def sentence(label):
    words = random.choices(FILLER, k=random.randint(4, 8))
    for w in random.choices(list(INTENTS.values())[label], k=2):
        words.insert(random.randint(0, len(words)), w)
    return words


class Intents(Dataset):
    def __init__(self, n):
        self.rows = []
        for _ in range(n):
            y = random.randrange(len(INTENTS))
            self.rows.append({"input_ids": [1] + [vocab[w] for w in sentence(y)], "label": y})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate(rows):
    n = max(len(r["input_ids"]) for r in rows)
    ids = torch.tensor([r["input_ids"] + [0] * (n - len(r["input_ids"])) for r in rows])
    return {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": torch.tensor([r["label"] for r in rows])}


def compute_metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


config = BertConfig(vocab_size=len(vocab), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                    intermediate_size=96, max_position_embeddings=32, num_labels=len(INTENTS))
model = BertForSequenceClassification(config)

with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(
        output_dir=tmp, per_device_train_batch_size=16, per_device_eval_batch_size=64, num_train_epochs=3,
        learning_rate=5e-2, warmup_steps=10, lr_scheduler_type="linear", weight_decay=0.01, logging_steps=15,
        eval_strategy="epoch", save_strategy="no", report_to=[], seed=SEED, use_cpu=True, disable_tqdm=True)
    trainer = Trainer(model=model, args=args, train_dataset=Intents(900), eval_dataset=Intents(200),
                      data_collator=collate, compute_metrics=compute_metrics)
    trainer.train()
    print(trainer.evaluate())
