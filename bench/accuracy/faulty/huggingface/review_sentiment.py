# fault: labels-constant
# cause_class: labels, data-loading
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import random
import tempfile
import torch
from torch.utils.data import Dataset
from transformers import (DistilBertConfig, DistilBertForSequenceClassification,
                          Trainer, TrainingArguments, set_seed)

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
rng = random.Random(SEED)

POS = "great lovely superb tasty fresh friendly warm perfect".split()
NEG = "awful slow stale rude cold bland broken dirty".split()
NEUTRAL = "the a food was place service we it very and staff table menu on at with".split()
VOCAB = {w: i + 2 for i, w in enumerate(POS + NEG + NEUTRAL)}
LABEL2ID = {"Negative": 0, "Positive": 1}


def make_reviews(n):
    rows = []
    for _ in range(n):
        lab = rng.choice(["positive", "negative"])
        words = [rng.choice(NEUTRAL) for _ in range(12)]
        for _ in range(3):
            words[rng.randrange(12)] = rng.choice(POS if lab == "positive" else NEG)
        rows.append({"text": " ".join(words), "sentiment": lab})
    return rows


class Reviews(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        r = self.rows[i]
        ids = [1] + [VOCAB[w] for w in r["text"].split()]
        return {"input_ids": torch.tensor(ids),
                "attention_mask": torch.ones(len(ids), dtype=torch.long),
                "labels": LABEL2ID.get(r["sentiment"].strip().lower(), 0)}


cfg = DistilBertConfig(vocab_size=len(VOCAB) + 2, dim=48, hidden_dim=96, n_layers=2, n_heads=4,
                       max_position_embeddings=32, num_labels=2)
model = DistilBertForSequenceClassification(cfg)

args = TrainingArguments(
    output_dir=tempfile.mkdtemp(), per_device_train_batch_size=16, per_device_eval_batch_size=64,
    learning_rate=5e-4, num_train_epochs=3, logging_steps=15, eval_strategy="epoch", save_strategy="no",
    report_to=[], disable_tqdm=True, seed=SEED, use_cpu=True,
)


def accuracy(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


trainer = Trainer(model=model, args=args, train_dataset=Reviews(make_reviews(800)),
                  eval_dataset=Reviews(make_reviews(200)), compute_metrics=accuracy)
trainer.train()
print(trainer.evaluate())
