# fault: none
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, default_data_collator, set_seed

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)


def corpus(n):
    ids = (torch.randint(0, 20, (n, 1)) + torch.randint(1, 4, (n, 1)) * torch.arange(12)) % 20
    return [{"input_ids": r, "labels": r.clone()} for r in ids]


model = GPT2LMHeadModel(GPT2Config(vocab_size=20, n_positions=12, n_embd=32, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0))
with tempfile.TemporaryDirectory() as tmp:
    trainer = Trainer(model=model, data_collator=default_data_collator, train_dataset=corpus(1600), eval_dataset=corpus(200),
                      args=TrainingArguments(output_dir=tmp, per_device_train_batch_size=16, max_steps=250, logging_steps=25, learning_rate=3e-3,
                                             weight_decay=0.01, warmup_steps=20, lr_scheduler_type="cosine", save_strategy="no", report_to=[],
                                             use_cpu=True, disable_tqdm=True, seed=SEED))
    trainer.train()
    print(trainer.evaluate())
