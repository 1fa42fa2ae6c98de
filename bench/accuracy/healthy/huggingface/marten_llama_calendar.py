# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile

import torch
from torch.utils.data import IterableDataset
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
DAYS, LEN = 7, 16


class Calendar(IterableDataset):
    """Streams of days; after a holiday mark (7) the next day is skipped."""

    def __init__(self, seed, n=None):
        self.seed, self.n = seed, n

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        k = 0
        while self.n is None or k < self.n:
            day = int(torch.randint(DAYS, (1,), generator=g))
            mark = torch.rand(LEN, generator=g) < 0.2
            ids = []
            for t in range(LEN):
                if mark[t]:
                    ids.append(7)
                    day = (day + 1) % DAYS
                else:
                    ids.append(day)
                    day = (day + 1) % DAYS
            row = torch.tensor(ids)
            yield {"input_ids": row, "labels": row.clone()}
            k += 1


config = LlamaConfig(vocab_size=8, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
                     num_key_value_heads=1, max_position_embeddings=LEN, tie_word_embeddings=True,
                     bos_token_id=None, eos_token_id=None, pad_token_id=None)
with tempfile.TemporaryDirectory() as out:
    trainer = Trainer(
        model=LlamaForCausalLM(config),
        args=TrainingArguments(
            output_dir=out, max_steps=220, per_device_train_batch_size=32, learning_rate=4e-3,
            lr_scheduler_type="cosine_with_restarts", lr_scheduler_kwargs={"num_cycles": 2}, warmup_steps=20,
            max_grad_norm=0.5, weight_decay=0.01, logging_steps=20, save_strategy="no", report_to=[], seed=SEED,
            use_cpu=True, disable_tqdm=True),
        train_dataset=Calendar(SEED))
    trainer.train()
    trainer.eval_dataset = Calendar(SEED + 1, 128)
    print(trainer.evaluate())
