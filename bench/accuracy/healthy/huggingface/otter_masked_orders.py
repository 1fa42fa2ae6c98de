# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile
from dataclasses import dataclass

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForMaskedLM, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
PAD, MASK, FIRST = 0, 1, 4


@dataclass
class OrderConfig:
    themes: int = 6
    per_theme: int = 8
    length: int = 12
    mask: float = 0.2

    @property
    def vocab(self):
        return FIRST + self.themes * self.per_theme


class Baskets(Dataset):
    """Orders of articles that go together: one theme per order, with stray articles."""

    def __init__(self, n, cfg, seed):
        g = torch.Generator().manual_seed(seed)
        theme = torch.randint(0, cfg.themes, (n, 1), generator=g)
        item = theme * cfg.per_theme + torch.randint(0, 3, (n, cfg.length), generator=g)
        stray = torch.randint(0, cfg.themes * cfg.per_theme, (n, cfg.length), generator=g)
        self.ids = FIRST + torch.where(torch.rand(n, cfg.length, generator=g) < 0.1, stray, item)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return self.ids[i]


class MaskCollator:
    def __init__(self, p):
        self.p = p

    def __call__(self, rows):
        ids = torch.stack(rows)
        hide = torch.rand(ids.shape) < self.p
        hide[:, 0] |= ~hide.any(1)
        return {"input_ids": ids.masked_fill(hide, MASK), "attention_mask": torch.ones_like(ids),
                "labels": ids.masked_fill(~hide, -100)}


cfg = OrderConfig()
model = BertForMaskedLM(BertConfig(
    vocab_size=cfg.vocab, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
    intermediate_size=64, max_position_embeddings=cfg.length, hidden_dropout_prob=0.05,
    attention_probs_dropout_prob=0.05))
args = TrainingArguments(
    output_dir=tempfile.mkdtemp(), max_steps=300, per_device_train_batch_size=32,
    per_device_eval_batch_size=200, learning_rate=5e-3, warmup_steps=20,
    lr_scheduler_type="cosine_with_restarts", lr_scheduler_kwargs={"num_cycles": 2},
    eval_strategy="steps", eval_steps=100, logging_steps=25, save_strategy="no",
    report_to="none", disable_tqdm=True, use_cpu=True, remove_unused_columns=False, seed=SEED)
trainer = Trainer(model=model, args=args, data_collator=MaskCollator(cfg.mask),
                  train_dataset=Baskets(2000, cfg, SEED + 1), eval_dataset=Baskets(400, cfg, SEED + 2))
trainer.train()
print(trainer.evaluate()["eval_loss"])
