# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer, epochs
# family: huggingface
# split: held
# needs: transformers, accelerate
"""Which of three made-up scripts wrote this line? BERT from scratch, arguments kept from the pre-training run."""
import os
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed
from transformers.utils import logging

logging.set_verbosity_error()
SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)

PRETRAIN = dict(learning_rate=1e-3, warmup_steps=10_000, weight_decay=0.01, adam_beta2=0.98,
                lr_scheduler_type="linear", max_grad_norm=1.0)


class Lines(Dataset):
    VOCAB, LEN = 40, 18

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        table = torch.rand(3, self.VOCAB - 3, generator=torch.Generator().manual_seed(99)).pow(3)
        self.y = torch.randint(0, 3, (n,), generator=g)
        body = torch.multinomial(table[self.y], self.LEN - 1, replacement=True, generator=g) + 3
        self.ids = torch.cat([torch.ones(n, 1, dtype=torch.long), body], 1)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "attention_mask": torch.ones(self.LEN, dtype=torch.long), "labels": self.y[i]}


def accuracy(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


config = BertConfig(vocab_size=Lines.VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                    intermediate_size=64, max_position_embeddings=32, num_labels=3)
model = BertForSequenceClassification(config)

with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(output_dir=out, num_train_epochs=6, per_device_train_batch_size=32,
                             per_device_eval_batch_size=128, eval_strategy="epoch", save_strategy="no",
                             logging_steps=16, report_to=[], seed=SEED, use_cpu=True, disable_tqdm=True, **PRETRAIN)
    trainer = Trainer(model=model, args=args, train_dataset=Lines(1024, SEED), eval_dataset=Lines(256, SEED + 1),
                      compute_metrics=accuracy)
    trainer.train()
    print(trainer.evaluate())
