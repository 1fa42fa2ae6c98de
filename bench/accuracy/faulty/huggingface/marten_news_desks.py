# fault: class-labels-into-mse
# cause_class: loss, labels
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile
from functools import partial

import torch
from torch.utils.data import Dataset
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
DESKS = ["politics", "sport", "culture", "economy", "science", "travel", "weather"]


class Headlines(Dataset):
    def __init__(self, n, seed, length=12):
        g = torch.Generator().manual_seed(seed)
        rnd = partial(torch.randint, generator=g)
        self.desk = rnd(0, len(DESKS), (n,))
        own = 10 + self.desk[:, None] * 12 + rnd(0, 12, (n, length))
        common = rnd(100, 160, (n, length))
        self.ids = torch.where(torch.rand(n, length, generator=g) < 0.2, own, common)
        self.ids[:, 0] = 1

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "attention_mask": torch.ones_like(self.ids[i]), "labels": self.desk[i].float()}


config = DistilBertConfig(vocab_size=160, dim=32, hidden_dim=64, n_layers=2, n_heads=2, max_position_embeddings=16,
                          dropout=0.0, attention_dropout=0.0, seq_classif_dropout=0.0, num_labels=1)
model = DistilBertForSequenceClassification(config)

with tempfile.TemporaryDirectory() as out:
    trainer = Trainer(
        model=model,
        args=TrainingArguments(output_dir=out, num_train_epochs=5, per_device_train_batch_size=32, learning_rate=1e-3,
                               lr_scheduler_type="constant", logging_steps=50, save_strategy="no", eval_strategy="epoch",
                               report_to=[], seed=SEED, use_cpu=True, disable_tqdm=True),
        train_dataset=Headlines(1600, SEED), eval_dataset=Headlines(320, SEED + 1),
        compute_metrics=lambda p: {"exact": float((p.predictions.squeeze().round() == p.label_ids).mean())})
    trainer.train()
