# fault: learning-rate-too-high
# cause_class: learning-rate
# family: trainers
# split: tune
# set: otter, unseen
# needs: transformers, accelerate
import os, tempfile
import torch
from torch.utils.data import Dataset
from transformers import (DistilBertConfig, DistilBertForSequenceClassification, Trainer,
                          TrainingArguments, set_seed)

seed = int(os.environ.get("SEED", 0))
set_seed(seed)


class Topics(Dataset):
    """four topics, each with its own preferred words"""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 4, (n,), generator=g)
        common = torch.randint(42, 80, (n, 14), generator=g)
        own = self.y[:, None] * 10 + torch.randint(2, 12, (n, 14), generator=g)
        self.x = torch.where(torch.rand(n, 14, generator=g) < .35, own, common)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return dict(input_ids=self.x[i], attention_mask=torch.ones(14, dtype=torch.long), labels=self.y[i])


cfg = DistilBertConfig(vocab_size=80, max_position_embeddings=16, dim=32, hidden_dim=64,
                       n_layers=2, n_heads=2, num_labels=4)
model = DistilBertForSequenceClassification(cfg)
base_lr = {"adamw_torch": 1e-3, "sgd": 1e-1}
recipe = dict(optim="adamw_torch", learning_rate=base_lr["sgd"])

with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(
        output_dir=tmp, per_device_train_batch_size=16, max_steps=150, logging_steps=15,
        lr_scheduler_type="constant_with_warmup", warmup_steps=10, eval_strategy="steps", eval_steps=75,
        save_strategy="no", report_to=[], seed=seed, use_cpu=True, disable_tqdm=True, **recipe)
    trainer = Trainer(model=model, args=args, train_dataset=Topics(800, seed), eval_dataset=Topics(160, seed + 1))
    trainer.train()
    print(trainer.evaluate())
