# fault: mostly-padding
# cause_class: data-loading, labels
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
PAD, BOS, EOS, MAXLEN = 0, 1, 2, 64
WORDS = 50


def encode(tokens):
    ids = [BOS] + tokens + [EOS]
    attention = [1] * len(ids) + [0] * (MAXLEN - len(ids))
    ids = ids + [PAD] * (MAXLEN - len(ids))
    return {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(attention), "labels": torch.tensor(ids)}


def make(n, seed):
    g = torch.Generator().manual_seed(seed)
    rows = []
    place = torch.randint(0, 27, (8, 12), generator=torch.Generator().manual_seed(7)).tolist()
    for _ in range(n):
        # a verb, an object, and the object's place, which the verb and the object decide
        v, o = torch.randint(0, 5, (1,), generator=g).item(), torch.randint(0, 6, (1,), generator=g).item()
        rows.append(encode([3 + v, 11 + o, 23 + place[v][o]]))
    return rows


train, valid = make(800, SEED), make(100, SEED + 1)
config = GPT2Config(vocab_size=WORDS, n_positions=MAXLEN, n_embd=32, n_layer=2, n_head=2, bos_token_id=BOS, eos_token_id=EOS,
                    resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
model = GPT2LMHeadModel(config)
with tempfile.TemporaryDirectory() as out:
    trainer = Trainer(
        model=model,
        args=TrainingArguments(output_dir=out, max_steps=150, per_device_train_batch_size=16, learning_rate=5e-3, logging_steps=10,
                               warmup_steps=5, save_strategy="no", report_to=[], seed=SEED, use_cpu=True, disable_tqdm=True),
        train_dataset=train, eval_dataset=valid)
    trainer.train()
    print(trainer.evaluate())

model.eval()
hits = 0
with torch.no_grad():
    for row in valid:
        logits = model(row["input_ids"][None, :3]).logits[0, -1]
        hits += int(logits.argmax() == row["input_ids"][3])
print("place right", hits / len(valid))
