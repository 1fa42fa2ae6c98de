# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
# frozen encoder as a bag of random features, only the head is trained
import os
import tempfile
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from transformers import DistilBertConfig, DistilBertModel, Trainer, TrainingArguments, set_seed

seed = int(os.environ.get("SEED", "0"))
set_seed(seed)
rng = np.random.default_rng(seed)


class Probe(nn.Module):
    def __init__(self, n_labels=3):
        super().__init__()
        self.encoder = DistilBertModel(DistilBertConfig(
            vocab_size=60, dim=96, hidden_dim=128, n_layers=1, n_heads=4, max_position_embeddings=16,
            dropout=0.0, attention_dropout=0.0))
        for p in self.encoder.parameters():
            p.requires_grad = False
        self.head = nn.Linear(96, n_labels)

    def forward(self, input_ids, labels=None):
        with torch.no_grad():
            h = self.encoder(input_ids=input_ids).last_hidden_state.mean(1)
        h = F.layer_norm(h, (96,))
        logits = self.head(h)
        return {"loss": F.cross_entropy(logits, labels), "logits": logits}


def rows(n):
    out = []
    for _ in range(n):
        y = int(rng.integers(3))
        ids = rng.integers(0, 60, 12)
        ids[rng.choice(12, 5, replace=False)] = 20 * y + rng.integers(0, 20, 5)
        out.append({"input_ids": ids, "labels": y})
    return out


trainer = Trainer(
    model=Probe(),
    args=TrainingArguments(output_dir=tempfile.mkdtemp(), num_train_epochs=4, per_device_train_batch_size=32,
                           learning_rate=3e-2, logging_steps=20, eval_strategy="epoch", save_strategy="no", report_to=[],
                           disable_tqdm=True, use_cpu=True, seed=seed),
    train_dataset=rows(1500), eval_dataset=rows(300),
    compute_metrics=lambda p: {"acc": float((p.predictions.argmax(-1) == p.label_ids).mean())},
)
trainer.train()
