# fault: clip-too-tight
# cause_class: optimizer, learning-rate
# family: huggingface
# split: tune
# needs: transformers, accelerate
"""Tiny GPT-2 on repeated number patterns, trained with plain SGD."""
import os
import tempfile
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


def patterns(n, length=24, vocab=16):
    start = torch.randint(0, vocab, (n, 1))
    stride = torch.randint(1, 4, (n, 1))
    return (start + stride * torch.arange(length)) % vocab


class Rows(torch.utils.data.Dataset):
    def __init__(self, ids):
        self.ids = ids

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.ids[i]}


class Print(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kw):
        print(state.global_step, "eval loss", round(metrics["eval_loss"], 4))


model = GPT2LMHeadModel(GPT2Config(vocab_size=16, n_positions=24, n_embd=32, n_layer=2, n_head=4,
                                   resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0))
with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(
        output_dir=tmp, max_steps=300, per_device_train_batch_size=16, per_device_eval_batch_size=100,
        optim="sgd", learning_rate=0.3, lr_scheduler_type="constant", max_grad_norm=1e-3,
        eval_strategy="steps", eval_steps=60, logging_steps=30, save_strategy="no", report_to=[],
        disable_tqdm=True, use_cpu=True, seed=SEED)
    Trainer(model=model, args=args, train_dataset=Rows(patterns(1200)), eval_dataset=Rows(patterns(100)),
            callbacks=[Print()]).train()
