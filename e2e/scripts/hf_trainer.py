"""A language model by the Trainer of Hugging Face: token-counted accumulation, evaluation, and the clipping that it does by default."""

import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
import transformers  # noqa: E402
from common import OUT, digest  # noqa: E402

torch.manual_seed(0)
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
WORDS = 40


def texts(n, seed):
    """Words that count upwards, in rows of different lengths."""
    g = torch.Generator().manual_seed(seed)
    rows = (torch.arange(16) + torch.randint(0, WORDS, (n, 1), generator=g)) % WORDS
    there = torch.arange(16) < torch.randint(4, 17, (n, 1), generator=g)
    return [{"input_ids": r, "attention_mask": t.long(), "labels": r.where(t, -100)} for r, t in zip(rows, there)]


config = transformers.GPT2Config(vocab_size=WORDS, n_positions=16, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
model = transformers.GPT2LMHeadModel(config)
with tempfile.TemporaryDirectory() as where:
    trainer = transformers.Trainer(
        model=model,
        args=transformers.TrainingArguments(
            output_dir=where, max_steps=40, per_device_train_batch_size=8, gradient_accumulation_steps=2, learning_rate=3e-3, logging_steps=10,
            eval_strategy="steps", eval_steps=20, report_to="none", save_strategy="no", disable_tqdm=True, use_cpu=True,
        ),
        train_dataset=texts(1000, 0),
        eval_dataset=texts(32, 1),
    )  # fmt: skip
    trainer.remove_callback(transformers.trainer_callback.PrinterCallback)
    trainer.train()
for entry in trainer.state.log_history:
    for key in ("loss", "eval_loss"):
        if key in entry:
            print("step %d %s %.6f" % (entry["step"], key, entry[key]))
if OUT:
    with open(OUT, "w") as f:
        f.write(digest([model]))
