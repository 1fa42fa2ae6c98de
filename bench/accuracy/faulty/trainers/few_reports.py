# fault: overfit
# cause_class: overfit, epochs, regularisation
# family: trainers
# split: held
# set: otter, unseen
# needs: transformers, accelerate
import os
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainerCallback,
                          TrainingArguments, set_seed)

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
VOCAB, LENGTH = 300, 20


class Reports(Dataset):
    """Short radiology notes as token ids: a few telling words among many others, some disagreement of readers."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        y = torch.randint(0, 2, (n,), generator=g)
        ids = torch.randint(40, VOCAB, (n, LENGTH), generator=g)
        telling = 2 + 10 * y[:, None] + torch.randint(0, 10, (n, LENGTH), generator=g)
        ids = torch.where(torch.rand(n, LENGTH, generator=g) < 0.2, telling, ids)
        ids[:, 0] = 1
        self.ids, self.y = ids, torch.where(torch.rand(n, generator=g) < 0.1, 1 - y, y)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "attention_mask": torch.ones(LENGTH, dtype=torch.long),
                "labels": self.y[i]}


class Curve(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kw):
        keep = {k: logs[k] for k in ("loss", "eval_loss", "eval_accuracy") if k in logs}
        print(state.global_step, keep)


config = BertConfig(vocab_size=VOCAB, hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                    intermediate_size=128, max_position_embeddings=LENGTH, num_labels=2,
                    hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
args = TrainingArguments(output_dir=tempfile.mkdtemp(), num_train_epochs=50, per_device_train_batch_size=16,
                         per_device_eval_batch_size=200, learning_rate=1e-3, warmup_steps=10,
                         lr_scheduler_type="linear", eval_strategy="steps", eval_steps=20, logging_steps=20,
                         save_strategy="no", report_to="none", disable_tqdm=True, use_cpu=True, seed=SEED)
trainer = Trainer(model=BertForSequenceClassification(config), args=args,
                  train_dataset=Reports(64, SEED + 1), eval_dataset=Reports(200, SEED + 2),
                  compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())},
                  callbacks=[Curve()])
trainer.train()
