# fault: labels-shuffled
# cause_class: labels, data-loading, loss
# family: huggingface
# split: tune
# needs: transformers, accelerate
"""A tiny GPT-2 on melodies: notes walk up and down a scale by random but remembered intervals."""
import os
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
NOTES, BLOCK = 24, 16


class Melodies(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        jump = torch.randint(1, 5, (n, BLOCK + 1), generator=g)
        sign = torch.where(torch.rand(n, BLOCK + 1, generator=g) < 0.5, -1, 1)
        rare = torch.rand(n, BLOCK + 1, generator=g) < 0.9
        step = torch.where(rare, torch.ones_like(jump), jump * sign)
        start = torch.randint(0, NOTES, (n, 1), generator=g)
        self.tokens = (start + step.cumsum(1)) % NOTES
        # every third note is an ornament, free of the walk
        self.tokens[:, ::3] = torch.randint(0, NOTES, self.tokens[:, ::3].shape, generator=g)

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        row = self.tokens[i]
        return {"input_ids": row[:-1], "labels": row[1:]}


def continuation_accuracy(model, data):
    """Share of notes the model continues as the walk would have it."""
    model.eval()
    x = data.tokens[:200]
    with torch.no_grad():
        guess = model(input_ids=x[:, :-1]).logits.argmax(-1)
    at = [i for i in range(1, BLOCK) if i % 3 == 1]
    return (guess[:, at] == x[:, [i + 1 for i in at]]).float().mean().item()


model = GPT2LMHeadModel(GPT2Config(vocab_size=NOTES, n_positions=BLOCK, n_embd=32, n_layer=2, n_head=2,
                                   bos_token_id=None, eos_token_id=None, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0))
train, held = Melodies(2400, SEED), Melodies(300, SEED + 1)
with tempfile.TemporaryDirectory() as tmp:
    trainer = Trainer(
        model=model,
        args=TrainingArguments(tmp, per_device_train_batch_size=32, num_train_epochs=3, learning_rate=3e-3,
                               lr_scheduler_type="cosine", warmup_steps=15, weight_decay=0.01, logging_steps=45,
                               eval_strategy="epoch", save_strategy="no", report_to=[], use_cpu=True,
                               disable_tqdm=True, seed=SEED),
        train_dataset=train, eval_dataset=held)
    trainer.train()
print("continuation accuracy", round(continuation_accuracy(trainer.model, held), 3))
