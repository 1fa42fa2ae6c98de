# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import TensorDataset
from transformers import Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


class RandomFeatureClassifier(nn.Module):
    """random Fourier features that stay as they are, a linear layer above"""

    def __init__(self, n_in=6, n_feat=256, n_out=3):
        super().__init__()
        self.proj = nn.Linear(n_in, n_feat)
        nn.init.normal_(self.proj.weight, std=0.6)
        nn.init.uniform_(self.proj.bias, 0, 6.2832)
        self.proj.requires_grad_(False)
        self.head = nn.Linear(n_feat, n_out)

    def forward(self, x, labels=None):
        logits = self.head(torch.cos(self.proj(x)))
        out = {"logits": logits}
        if labels is not None:
            out = {"loss": nn.functional.cross_entropy(logits, labels, label_smoothing=0.05), **out}
        return out


def rows(n):
    x = torch.randn(n, 6)
    s = torch.stack([x[:, 0] * x[:, 1], x[:, 2].pow(2) - 1 + 0.5 * x[:, 3], 0.8 * x[:, 4]], 1)
    return TensorDataset(x, s.argmax(1))


def collate(items):
    return {"x": torch.stack([a for a, _ in items]), "labels": torch.stack([b for _, b in items])}


def metrics(p):
    return {"accuracy": float((p.predictions.argmax(1) == p.label_ids).mean())}


with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(
        output_dir=tmp, per_device_train_batch_size=32, per_device_eval_batch_size=100, num_train_epochs=5,
        learning_rate=1e-2, logging_steps=40, eval_strategy="epoch", save_strategy="no", report_to=[],
        remove_unused_columns=False, seed=SEED, use_cpu=True, disable_tqdm=True)
    trainer = Trainer(model=RandomFeatureClassifier(), args=args, train_dataset=rows(3000), eval_dataset=rows(400),
                      data_collator=collate, compute_metrics=metrics)
    trainer.train()
    print(trainer.evaluate())
