# fault: none
# family: huggingface
# split: tune
# needs: transformers, accelerate
"""A tiny GPT-2 learns arithmetic progressions; gradient accumulation, cosine schedule."""
import math
import os
import tempfile
import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

set_seed(int(os.environ.get("SEED", 0)))


class Progressions(Dataset):
    def __init__(self, n, length=16, modulus=23):
        first = torch.randint(0, modulus, (n, 1))
        diff = torch.randint(1, 6, (n, 1))
        self.rows = (first + diff * torch.arange(length)) % modulus

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        labels = row.clone()
        labels[:2] = -100          # cannot be known
        return dict(input_ids=row, labels=labels)


config = GPT2Config(vocab_size=23, n_positions=16, n_embd=48, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0,
                    resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(out, max_steps=220, per_device_train_batch_size=16, gradient_accumulation_steps=2,
                             learning_rate=3e-3, lr_scheduler_type="cosine", warmup_steps=20, logging_steps=40,
                             save_strategy="no", report_to="none", disable_tqdm=True, use_cpu=True,
                             seed=int(os.environ.get("SEED", 0)))
    trainer = Trainer(model=GPT2LMHeadModel(config), args=args, train_dataset=Progressions(3000),
                      eval_dataset=Progressions(200))
    trainer.train()
    result = trainer.evaluate()
    print("perplexity", round(math.exp(result["eval_loss"]), 3))
