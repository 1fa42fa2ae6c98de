# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import random
import tempfile
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
rnd = random.Random(SEED)
VOC = "0123456789+=. "


def counting():
    """'3.4.5.6.7...' modulo ten, from a random start in steps of one or two"""
    a, k = rnd.randrange(10), rnd.choice([1, 2])
    return ".".join(str((a + k * i) % 10) for i in range(9))


class Lines(torch.utils.data.Dataset):
    def __init__(self, n):
        self.rows = [torch.tensor([VOC.index(c) for c in counting()]) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": self.rows[i], "labels": self.rows[i]}


model = GPT2LMHeadModel(GPT2Config(vocab_size=len(VOC), n_positions=32, n_embd=48, n_layer=2, n_head=4,
                                   bos_token_id=13, eos_token_id=13, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0))
args = TrainingArguments(
    output_dir=tempfile.mkdtemp(), per_device_train_batch_size=8, gradient_accumulation_steps=2, max_steps=280,
    learning_rate=3e-3, weight_decay=0.1, max_grad_norm=0.3, lr_scheduler_type="linear", warmup_steps=10,
    logging_steps=15, save_strategy="no", report_to="none", disable_tqdm=True, use_cpu=True, seed=SEED)
trainer = Trainer(model=model, args=args, train_dataset=Lines(1500), eval_dataset=Lines(100))
trainer.train()
print(trainer.evaluate()["eval_loss"])
