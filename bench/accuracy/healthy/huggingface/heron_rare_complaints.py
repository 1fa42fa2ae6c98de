# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate

# One complaint in twelve is urgent: weighted loss in a Trainer of one's own, recall and precision as measures.
import os
import tempfile

import numpy as np
import torch
from torch import nn
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)


def complaints(n, length=12, vocab=100):
    y = (rng.random(n) < 1 / 12).astype(int)
    x = rng.integers(20, vocab, (n, length))
    for i in np.flatnonzero(y):
        x[i, rng.choice(length, 3, replace=False)] = rng.integers(2, 20, 3)
    noise = rng.random((n, length)) < 0.03
    x[noise] = rng.integers(2, 20, noise.sum())
    return [dict(input_ids=torch.tensor(a), attention_mask=torch.ones(length, dtype=torch.long), labels=int(b)) for a, b in zip(x, y)]


class WeightedTrainer(Trainer):
    def __init__(self, *a, class_weight=None, **kw):
        super().__init__(*a, **kw)
        self.criterion = nn.CrossEntropyLoss(weight=class_weight)

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        out = model(**inputs)
        loss = self.criterion(out.logits, labels)
        return (loss, out) if return_outputs else loss


def report(p):
    guess, y = p.predictions.argmax(1), p.label_ids
    tp = ((guess == 1) & (y == 1)).sum()
    return {"recall": float(tp / max(1, (y == 1).sum())), "precision": float(tp / max(1, (guess == 1).sum()))}


train, dev = complaints(4800), complaints(600)
share = np.mean([r["labels"] for r in train])
weight = torch.tensor([0.5 / (1 - share), 0.5 / share], dtype=torch.float32)
net = DistilBertForSequenceClassification(DistilBertConfig(
    vocab_size=100, dim=32, hidden_dim=64, n_layers=1, n_heads=2, max_position_embeddings=12, num_labels=2))
trainer = WeightedTrainer(net, TrainingArguments(
    tempfile.mkdtemp(), num_train_epochs=1.5, per_device_train_batch_size=32, per_device_eval_batch_size=200, learning_rate=1.5e-3,
    eval_strategy="steps", eval_steps=50, save_strategy="no", logging_steps=25, report_to="none", use_cpu=True, disable_tqdm=True, seed=SEED),
    train_dataset=train, eval_dataset=dev, compute_metrics=report, class_weight=weight)
trainer.train()
print(trainer.evaluate())
