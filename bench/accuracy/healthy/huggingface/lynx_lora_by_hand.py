# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
import math
import os
import tempfile
import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

seed = int(os.environ.get("SEED", "0"))
set_seed(seed)
V, T = 48, 16


def markov_rows(n, table, gen):
    """sequences of a chain with four likely successors each"""
    rows = torch.empty(n, T, dtype=torch.long)
    rows[:, 0] = torch.randint(V, (n,), generator=gen)
    for t in range(1, T):
        pick = torch.multinomial(torch.tensor([0.7, 0.15, 0.1, 0.05]), n, True, generator=gen)
        rows[:, t] = table[rows[:, t - 1], pick]
    return [{"input_ids": r, "labels": r} for r in rows]


class LoRALinear(nn.Module):
    """y = W x + (alpha / r) B A x. W stays as it was pretrained, B starts at zero as in the paper."""

    def __init__(self, conv1d, r=8, alpha=16):
        super().__init__()
        self.base = conv1d
        for p in self.base.parameters():
            p.requires_grad_(False)
        n_in, n_out = conv1d.weight.shape
        self.lora_A = nn.Parameter(torch.empty(n_in, r))
        self.lora_B = nn.Parameter(torch.zeros(r, n_out))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        self.scaling = alpha / r

    def forward(self, x):
        return self.base(x) + (x @ self.lora_A @ self.lora_B) * self.scaling


def add_lora(model):
    for p in model.parameters():
        p.requires_grad_(False)
    for block in model.transformer.h:
        block.attn.c_attn = LoRALinear(block.attn.c_attn)
        block.mlp.c_fc = LoRALinear(block.mlp.c_fc)
        block.mlp.c_proj = LoRALinear(block.mlp.c_proj)
    n = sum(p.numel() for p in model.parameters() if p.requires_grad)
    print("trainable:", n, "of", sum(p.numel() for p in model.parameters()))
    return model


def train(model, rows, held_out, steps, lr, out):
    args = TrainingArguments(out, max_steps=steps, per_device_train_batch_size=16, learning_rate=lr, warmup_steps=10,
                             lr_scheduler_type="linear", logging_steps=30, save_strategy="no", report_to="none",
                             use_cpu=True, disable_tqdm=True, seed=seed)
    t = Trainer(model=model, args=args, train_dataset=rows, eval_dataset=held_out)
    t.train()
    print("held out:", t.evaluate()["eval_loss"])


gen = torch.Generator().manual_seed(seed)
old = torch.stack([torch.randperm(V, generator=gen)[:4] for _ in range(V)])
new = old.clone()
new[::3] = torch.stack([torch.randperm(V, generator=gen)[:4] for _ in range(V)])[::3]   # a third of the rules differ
model = GPT2LMHeadModel(GPT2Config(vocab_size=V, n_positions=T, n_embd=32, n_layer=2, n_head=2, resid_pdrop=0.0,
                                   embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0))
with tempfile.TemporaryDirectory() as out:
    print("== pretraining")
    train(model, markov_rows(2000, old, gen), markov_rows(100, old, gen), 180, 3e-3, out)
    print("== LoRA")
    train(add_lora(model), markov_rows(2000, new, gen), markov_rows(100, new, gen), 150, 4e-3, out)
