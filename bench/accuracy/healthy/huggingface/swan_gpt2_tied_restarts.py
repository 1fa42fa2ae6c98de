# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
"""Tiny GPT-2 with tied embeddings on a Markov language; cosine with restarts, accumulation, label smoothing off."""
import os
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed
from transformers.utils import logging

logging.set_verbosity_error()
seed = int(os.environ.get("SEED", "0"))
set_seed(seed)


class Markov(Dataset):
    def __init__(self, n, length=24, vocab=32, seed=0):
        g = torch.Generator().manual_seed(1234)
        trans = torch.softmax(3.0 * torch.randn(vocab, vocab, generator=g), 1)
        g = torch.Generator().manual_seed(seed)
        cols = [torch.randint(0, vocab, (n,), generator=g)]
        for _ in range(length - 1):
            cols.append(torch.multinomial(trans[cols[-1]], 1, generator=g).squeeze(1))
        self.ids = torch.stack(cols, 1)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.ids[i]}


class Print(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kw):
        print(state.global_step, {k: v for k, v in logs.items() if k in ("loss", "eval_loss", "learning_rate", "grad_norm")})


cfg = GPT2Config(vocab_size=32, n_positions=24, n_embd=32, n_layer=2, n_head=2, resid_pdrop=0.0, embd_pdrop=0.0,
                 attn_pdrop=0.0, bos_token_id=0, eos_token_id=0)
model = GPT2LMHeadModel(cfg)

with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(output_dir=out, max_steps=150, per_device_train_batch_size=16, gradient_accumulation_steps=2,
                             learning_rate=4e-3, lr_scheduler_type="cosine_with_restarts",
                             lr_scheduler_kwargs={"num_cycles": 3}, warmup_steps=10, weight_decay=0.01, max_grad_norm=1.0,
                             eval_strategy="steps", eval_steps=50, logging_steps=15, save_strategy="no", report_to=[],
                             seed=seed, use_cpu=True, disable_tqdm=True)
    Trainer(model=model, args=args, train_dataset=Markov(2000, seed=seed), eval_dataset=Markov(200, seed=seed + 1),
            callbacks=[Print()]).train()
