# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
"""A tiny GPT-2 on log lines, packed into blocks, two micro-batches per update."""
import os
import random
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, default_data_collator, set_seed

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)
BLOCK = 32


def line():
    host = random.choice(["db1", "db2", "web", "cache"])
    level, text = random.choice([("INFO", "started"), ("INFO", "ready"), ("WARN", "slow query"), ("ERR", "timeout")])
    return f"{host} {level} {text} {random.randrange(10)}\n"


def blocks(n_lines, vocab):
    ids = [vocab[c] for c in "".join(line() for _ in range(n_lines))]
    chunks = [ids[i:i + BLOCK] for i in range(0, len(ids) - BLOCK, BLOCK)]
    return [{"input_ids": c, "labels": c} for c in chunks]


def main():
    vocab = {c: i for i, c in enumerate(sorted(set("".join(line() for _ in range(500)))))}
    config = GPT2Config(vocab_size=len(vocab), n_positions=BLOCK, n_embd=48, n_layer=2, n_head=4, bos_token_id=0,
                        eos_token_id=0)
    model = GPT2LMHeadModel(config)
    args = TrainingArguments(
        output_dir=tempfile.mkdtemp(), max_steps=130, per_device_train_batch_size=12, gradient_accumulation_steps=2,
        learning_rate=3e-3, lr_scheduler_type="cosine", warmup_steps=10, weight_decay=0.05, max_grad_norm=0.5,
        logging_steps=20, eval_strategy="steps", eval_steps=65, save_strategy="no", report_to=[], use_cpu=True,
        disable_tqdm=True, seed=SEED)
    Trainer(model=model, args=args, train_dataset=blocks(4000, vocab), eval_dataset=blocks(150, vocab),
            data_collator=default_data_collator).train()
    prompt = torch.tensor([[vocab[c] for c in "db1 "]])
    model.eval()
    out = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=24, do_sample=True, pad_token_id=0)
    chars = {i: c for c, i in vocab.items()}
    print(repr("".join(chars[int(i)] for i in out[0])))


if __name__ == "__main__":
    main()
