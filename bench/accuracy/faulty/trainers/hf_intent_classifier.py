# fault: learning-rate-too-high
# cause_class: learning-rate
# family: trainers
# split: held
# set: tapir, unseen
# needs: transformers, accelerate
import os
import tempfile

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
VOCAB, LEN, INTENTS = 120, 14, 5
CLS, PAD = 1, 0


class Utterances(Dataset):
    """Template sentences: each intent has its own trigger words among common filler."""

    def __init__(self, n, seed):
        r = np.random.default_rng(seed)
        self.rows = []
        for _ in range(n):
            y = int(r.integers(INTENTS))
            k = int(r.integers(8, LEN))
            toks = r.integers(40, VOCAB, k)
            where = r.choice(k, 3, replace=False)
            toks[where] = 5 + y * 6 + r.integers(0, 6, 3)
            ids = np.full(LEN, PAD)
            ids[0] = CLS
            ids[1:k + 1] = toks[:LEN - 1]
            self.rows.append({
                "input_ids": torch.tensor(ids), "attention_mask": torch.tensor((ids != PAD).astype(int)), "labels": y})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


config = BertConfig(vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                    intermediate_size=64, max_position_embeddings=32, num_labels=INTENTS)
model = BertForSequenceClassification(config)

with tempfile.TemporaryDirectory() as out:
    training_args = TrainingArguments(
        output_dir=out,
        learning_rate=5e-2,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=64,
        num_train_epochs=3,
        lr_scheduler_type="constant",
        logging_steps=25,
        eval_strategy="epoch",
        save_strategy="no",
        report_to=[],
        seed=SEED,
        use_cpu=True,
        disable_tqdm=True,
    )
    Trainer(model=model, args=training_args, train_dataset=Utterances(1000, SEED),
            eval_dataset=Utterances(200, SEED + 1), compute_metrics=metrics).train()
