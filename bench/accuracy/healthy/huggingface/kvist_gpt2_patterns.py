# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
V, T = 32, 20


class Melodies(torch.utils.data.Dataset):
    """Random intervals that repeat: four notes, then the same four a step higher, and so on."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        motif = torch.randint(0, V, (n, 4), generator=g)
        self.ids = torch.cat([(motif + i) % V for i in range(T // 4)], 1)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.ids[i]}


class Show(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kw):
        print(state.global_step, {k: v for k, v in logs.items() if "loss" in k or k == "learning_rate"})


model = GPT2LMHeadModel(GPT2Config(vocab_size=V, n_positions=T, n_embd=48, n_layer=2, n_head=4, resid_pdrop=0.0,
                                   embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0))
with tempfile.TemporaryDirectory() as out:
    tr = Trainer(model=model, callbacks=[Show()],
                 args=TrainingArguments(out, max_steps=260, per_device_train_batch_size=16, learning_rate=4e-3,
                                        lr_scheduler_type="cosine", warmup_steps=20, logging_steps=26,
                                        eval_strategy="steps", eval_steps=130, per_device_eval_batch_size=64,
                                        save_strategy="no", report_to="none", disable_tqdm=True, seed=SEED, use_cpu=True),
                 train_dataset=Melodies(4000, SEED + 1), eval_dataset=Melodies(256, SEED + 2))
    tr.train()
