# fault: weight-decay-too-strong
# cause_class: regularisation, loss
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, default_data_collator, set_seed

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)
HYPER = dict(learning_rate=2e-3, weight_decay=30.0, warmup_steps=20, lr_scheduler_type="cosine", max_grad_norm=1.0)


def corpus(n, vocab=20, length=16):
    step = torch.randint(1, 4, (n, 1))
    start = torch.randint(0, vocab, (n, 1))
    ids = (start + step * torch.arange(length)) % vocab
    noise = torch.rand(n, length) < 0.05
    ids = torch.where(noise, torch.randint(0, vocab, (n, length)), ids)
    return [{"input_ids": r, "labels": r.clone()} for r in ids]


model = GPT2LMHeadModel(GPT2Config(vocab_size=20, n_positions=16, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0,
                                   resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0))
with tempfile.TemporaryDirectory() as tmp:
    trainer = Trainer(
        model=model, data_collator=default_data_collator,
        args=TrainingArguments(output_dir=tmp, per_device_train_batch_size=16, max_steps=240, logging_steps=24, save_strategy="no",
                               report_to=[], use_cpu=True, disable_tqdm=True, seed=SEED, **HYPER),
        train_dataset=corpus(1600), eval_dataset=corpus(200))
    trainer.train()
    print(trainer.evaluate())
