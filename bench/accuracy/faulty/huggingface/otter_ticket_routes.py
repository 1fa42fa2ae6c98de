# fault: model-replaced
# cause_class: not-updated, optimizer
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import (DistilBertConfig, DistilBertForSequenceClassification,
                          Trainer, TrainingArguments, set_seed)

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


@dataclass
class Cfg:
    vocab: int = 120
    length: int = 16
    queues: int = 3
    routes: int = 6
    lr: float = 2e-3


cfg = Cfg()


class Tickets(Dataset):
    """Token ids; every route has its own favourite words, two routes make a queue."""

    def __init__(self, n, seed, coarse):
        g = torch.Generator().manual_seed(seed)
        self.route = torch.randint(0, cfg.routes, (n,), generator=g)
        common = torch.randint(70, cfg.vocab, (n, cfg.length), generator=g)
        own = 2 + self.route[:, None] * 10 + torch.randint(0, 10, (n, cfg.length), generator=g)
        self.ids = torch.where(torch.rand(n, cfg.length, generator=g) < 0.35, own, common)
        self.ids[:, 0] = 1
        self.coarse = coarse

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        y = self.route[i] // 2 if self.coarse else self.route[i]
        return {"input_ids": self.ids[i], "attention_mask": torch.ones(cfg.length, dtype=torch.long),
                "labels": y}


def args(steps):
    return TrainingArguments(output_dir=tempfile.mkdtemp(), max_steps=steps, per_device_train_batch_size=32,
                             per_device_eval_batch_size=128, logging_steps=20, report_to="none",
                             save_strategy="no", disable_tqdm=True, use_cpu=True, seed=SEED,
                             learning_rate=cfg.lr)


def accuracy(p):
    return {"acc": float((p.predictions.argmax(-1) == p.label_ids).mean())}


def head_optimizer(model):
    for p in model.distilbert.parameters():
        p.requires_grad_(False)
    return torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=5e-3)


# 1. queues: the encoder learns the words
model = DistilBertForSequenceClassification(DistilBertConfig(
    vocab_size=cfg.vocab, dim=32, n_layers=1, n_heads=2, hidden_dim=64,
    max_position_embeddings=cfg.length, num_labels=cfg.queues))
Trainer(model=model, args=args(80), train_dataset=Tickets(1500, SEED + 1, True)).train()

# 2. routes: keep the encoder, train a new head
optimizer = head_optimizer(model)
model.pre_classifier = nn.Linear(32, 32)
model.classifier = nn.Linear(32, cfg.routes)
model.num_labels = model.config.num_labels = cfg.routes
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: max(0.05, 1 - s / 200))
trainer = Trainer(model=model, args=args(200), train_dataset=Tickets(1500, SEED + 2, False),
                  eval_dataset=Tickets(400, SEED + 3, False), compute_metrics=accuracy,
                  optimizers=(optimizer, schedule))
trainer.train()
print(trainer.evaluate())
