# fault: learning-rate-too-high
# cause_class: learning-rate, optimizer
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


class Tickets(Dataset):
    """Synthetic support tickets: every queue has its own preferred words."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 4, (n,), generator=g)
        self.x = torch.randint(20, 120, (n, 16), generator=g)
        hint = torch.rand(n, 16, generator=g) < 0.3
        words = 4 + self.y[:, None] * 4 + torch.randint(0, 4, (n, 16), generator=g)
        self.x[hint] = words[hint]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": self.x[i], "attention_mask": torch.ones(16, dtype=torch.long), "labels": self.y[i]}


cfg = BertConfig(vocab_size=120, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                 intermediate_size=64, max_position_embeddings=32, num_labels=4)
model = BertForSequenceClassification(cfg)

with tempfile.TemporaryDirectory() as tmp:
    targs = TrainingArguments(
        output_dir=tmp, max_steps=200, per_device_train_batch_size=16, learning_rate=2e-1,
        lr_scheduler_type="constant", logging_steps=20, save_strategy="no", report_to=[],
        disable_tqdm=True, seed=SEED, use_cpu=True)
    tr = Trainer(model=model, args=targs, train_dataset=Tickets(1200, SEED + 1), eval_dataset=Tickets(200, SEED + 2))
    tr.train()
    print(tr.evaluate())
