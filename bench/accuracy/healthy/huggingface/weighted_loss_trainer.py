# fault: none
# family: huggingface
# split: tune
# needs: transformers, accelerate
"""Rare positive class; a Trainer with class weights, its own optimizer and groups without weight decay."""
import os
import tempfile
import torch
from torch import nn
from transformers import Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


class TabularNet(nn.Module):
    def __init__(self, n_in=8, hidden=48, classes=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, hidden), nn.LayerNorm(hidden), nn.GELU(), nn.Linear(hidden, hidden),
                                 nn.GELU(), nn.Linear(hidden, classes))

    def forward(self, features, labels=None):
        return {"logits": self.net(features)}


class WeightedTrainer(Trainer):
    def __init__(self, *args, class_weights=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.class_weights = class_weights

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        out = model(features=inputs["features"])
        loss = nn.functional.cross_entropy(out["logits"], inputs["labels"], weight=self.class_weights)
        return (loss, out) if return_outputs else loss


def fraud(n):
    x = torch.randn(n, 8)
    z = x[:, 0] * x[:, 1] + x[:, 2] - 0.5 * x[:, 3] + 0.3 * torch.randn(n)
    y = (z > 1.9).long()
    return [{"features": a, "labels": b} for a, b in zip(x, y)], y


def balanced(p):
    y, f = p.label_ids, p.predictions.argmax(-1)
    tpr, tnr = (f[y == 1] == 1).mean(), (f[y == 0] == 0).mean()
    return {"tpr": float(tpr), "tnr": float(tnr), "balanced": float((tpr + tnr) / 2)}


train, y = fraud(2400)
val, _ = fraud(800)
weights = torch.tensor([1.0, ((y == 0).sum() / (y == 1).sum()).sqrt().item()])
model = TabularNet()
decay = [p for p in model.parameters() if p.ndim > 1]
rest = [p for p in model.parameters() if p.ndim <= 1]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}], lr=2e-3)
with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(tmp, num_train_epochs=6, per_device_train_batch_size=64, per_device_eval_batch_size=800,
                             eval_strategy="epoch", save_strategy="no", logging_steps=40, report_to=[],
                             disable_tqdm=True, use_cpu=True, seed=SEED, label_names=["labels"])
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: max(0.05, 1 - s / 230))
    trainer = WeightedTrainer(model=model, args=args, train_dataset=train, eval_dataset=val, optimizers=(opt, sched),
                              compute_metrics=balanced, class_weights=weights)
    trainer.train()
