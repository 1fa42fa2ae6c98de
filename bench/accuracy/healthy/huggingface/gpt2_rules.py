# fault: none
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
BOS, EOS, PAD = 0, 1, 2


class Triples(torch.utils.data.Dataset):
    """a b c two to four times over, where c follows from a alone; only the c are asked for."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.rows = []
        for _ in range(n):
            ids, lab = [BOS], [-100]
            for _ in range(int(torch.randint(2, 5, (1,), generator=g))):
                a, b = torch.randint(0, 10, (2,), generator=g).tolist()
                ids += [3 + a, 3 + b, 3 + (7 * a + 3) % 10]
                lab += [-100, -100, 3 + (7 * a + 3) % 10]
            self.rows.append((ids + [EOS], lab + [EOS]))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": self.rows[i][0], "labels": self.rows[i][1]}


def pad(batch):
    m = max(len(b["input_ids"]) for b in batch)
    fill = lambda key, v: torch.tensor([b[key] + [v] * (m - len(b[key])) for b in batch])
    ids = fill("input_ids", PAD)
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": fill("labels", -100)}


class Show(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kw):
        print(state.global_step, {k: v for k, v in logs.items() if "loss" in k})


model = GPT2LMHeadModel(GPT2Config(vocab_size=13, n_positions=16, n_embd=32, n_layer=2, n_head=4, bos_token_id=BOS,
                                   eos_token_id=EOS, pad_token_id=PAD, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0))
with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(output_dir=out, max_steps=180, per_device_train_batch_size=32, learning_rate=4e-3, warmup_steps=20,
                             lr_scheduler_type="cosine", logging_steps=30, save_strategy="no", eval_strategy="steps", eval_steps=90,
                             report_to=[], use_cpu=True, disable_tqdm=True, seed=SEED, remove_unused_columns=False)
    Trainer(model=model, args=args, train_dataset=Triples(4000, SEED), eval_dataset=Triples(200, SEED + 1), data_collator=pad,
            callbacks=[Show()]).train()
