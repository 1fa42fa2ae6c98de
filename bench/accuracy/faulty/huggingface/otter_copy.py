# fault: clip-too-tight
# cause_class: learning-rate, optimizer
# family: huggingface
# split: held
# needs: transformers, accelerate
import os, tempfile
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, TrainerCallback, set_seed

seed = int(os.environ.get("SEED", 0))
set_seed(seed)


class Repeats(torch.utils.data.Dataset):
    """abcabcabc... with random periods and letters"""

    def __len__(self):
        return 1200

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(seed * 100000 + i)
        first = torch.randint(0, 12, (1,), generator=g)
        step = int(torch.randint(1, 4, (1,), generator=g))
        ids = (first + step * torch.arange(12)) % 12
        return {"input_ids": ids, "labels": ids.clone()}


class Show(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kw):
        if "loss" in logs:
            print(state.global_step, logs["loss"])


model = GPT2LMHeadModel(GPT2Config(vocab_size=12, n_positions=12, n_embd=32, n_layer=1, n_head=2,
                                   resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0))
with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(
        output_dir=tmp,
        num_train_epochs=4,
        per_device_train_batch_size=24,
        optim="sgd",
        optim_args="momentum=0.9",
        learning_rate=0.1,
        max_grad_norm=1e-4,
        lr_scheduler_type="constant",
        logging_steps=20,
        save_strategy="no",
        report_to=[],
        seed=seed,
        use_cpu=True,
        disable_tqdm=True,
    )
    Trainer(model=model, args=args, train_dataset=Repeats(), callbacks=[Show()]).train()
