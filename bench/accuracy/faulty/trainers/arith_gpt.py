# fault: learning-rate-too-high
# cause_class: learning-rate, optimizer
# family: trainers
# split: tune
# set: marten, unseen
# needs: transformers, accelerate
import os
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)

# 0-9 digits, 10 plus, 11 equals
BATCH = 64
BASE_LR = 1e-3


class Sums(Dataset):
    """a+b=c with one-digit terms and a two-digit sum."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        a = torch.randint(10, (n,), generator=g)
        b = torch.randint(10, (n,), generator=g)
        c = a + b
        self.ids = torch.stack([a, torch.full_like(a, 10), b, torch.full_like(a, 11), c // 10, c % 10], 1)
        self.labels = self.ids.clone()
        self.labels[:, :4] = -100

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.labels[i]}


model = GPT2LMHeadModel(GPT2Config(vocab_size=12, n_positions=8, n_embd=32, n_layer=2, n_head=2,
                                   resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                                   bos_token_id=None, eos_token_id=None))

with tempfile.TemporaryDirectory() as out:
    targs = TrainingArguments(
        output_dir=out, max_steps=250, per_device_train_batch_size=BATCH,
        # linear scaling rule
        learning_rate=BASE_LR * BATCH,
        lr_scheduler_type="constant", weight_decay=0.01, logging_steps=25, save_strategy="no",
        report_to=[], seed=SEED, use_cpu=True, disable_tqdm=True, dataloader_num_workers=0)
    trainer = Trainer(model=model, args=targs, train_dataset=Sums(6000, SEED), eval_dataset=Sums(256, SEED + 1))
    trainer.train()
    print(trainer.evaluate())
