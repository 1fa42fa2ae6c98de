# fault: class-labels-into-mse
# cause_class: loss
# family: huggingface
# split: held
# needs: transformers, accelerate, numpy
import os, tempfile
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed

seed = int(os.environ.get("SEED", "0"))
set_seed(seed)

SECTIONS = ["politics", "sport", "culture", "science", "travel", "local"]


def fake_headlines(n, gen):
    sec = torch.randint(0, len(SECTIONS), (n,), generator=gen)
    ids = torch.randint(100, 200, (n, 10), generator=gen)
    for col in (1, 2, 4, 5, 7):
        # every third cue word points to some other section ("the minister at the match")
        stray = torch.rand(n, generator=gen) < 0.35
        about = torch.where(stray, torch.randint(0, len(SECTIONS), (n,), generator=gen), sec)
        ids[:, col] = 10 + about * 12 + torch.randint(0, 12, (n,), generator=gen)
    return ids, sec


class HeadlineDataset(Dataset):
    def __init__(self, encodings, labels):
        self.encodings = encodings
        self.labels = labels

    def __getitem__(self, idx):
        item = {key: val[idx] for key, val in self.encodings.items()}
        # without the cast: RuntimeError: Found dtype Long but expected Float
        item["labels"] = torch.tensor(self.labels[idx], dtype=torch.float)
        return item

    def __len__(self):
        return len(self.labels)


def encode(ids):
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    preds = np.clip(np.round(logits.squeeze()), 0, len(SECTIONS) - 1)
    return {"accuracy": float((preds == labels).mean())}


g = torch.Generator().manual_seed(seed)
ids, sec = fake_headlines(1300, g)
train_dataset = HeadlineDataset(encode(ids[:1100]), sec[:1100].tolist())
val_dataset = HeadlineDataset(encode(ids[1100:]), sec[1100:].tolist())

model = DistilBertForSequenceClassification(DistilBertConfig(
    vocab_size=200, dim=32, hidden_dim=64, n_layers=2, n_heads=2, max_position_embeddings=16, num_labels=1))

with tempfile.TemporaryDirectory() as d:
    training_args = TrainingArguments(
        output_dir=d, num_train_epochs=4, per_device_train_batch_size=16, per_device_eval_batch_size=64,
        learning_rate=1e-3, warmup_steps=20, weight_decay=0.01, logging_steps=20, eval_strategy="epoch",
        save_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True, seed=seed)
    trainer = Trainer(model=model, args=training_args, train_dataset=train_dataset, eval_dataset=val_dataset,
                      compute_metrics=compute_metrics)
    trainer.train()
    print(trainer.evaluate())
