package agent

import (
	"strings"
	"testing"
	"time"
)

func TestRunName(t *testing.T) {
	at := time.Date(2026, 11, 21, 15, 4, 5, 0, time.Local)
	for _, c := range []struct{ command, script, name string }{
		{"python train.py --lr 0.1", "train.py", "train"},
		{"python -u src/my.train.py", "src/my.train.py", "my-train"},
		{"torchrun --nproc-per-node 2 train_ddp.py", "train_ddp.py", "train_ddp"},
		{"python -m torch.distributed.run train.py", "train.py", "train"},
		{"python -m pkg.train", "pkg.train", "pkg"},
		{"bash job.sh", "job.sh", "job"},
		{"/usr/bin/nice ./prog", "", "nice"},
		{"python -c x", "", "python"},
	} {
		words := strings.Fields(c.command)
		if got := Script(words); got != c.script {
			t.Errorf("Script(%q) = %q, want %q", c.command, got, c.script)
		}
		if got, want := RunName(at, words), "20261121-150405-"+c.name; got != want {
			t.Errorf("RunName(%q) = %q, want %q", c.command, got, want)
		}
	}
	if got := RunName(at, []string{"/"}); got != "20261121-150405--" && got != "20261121-150405-run" {
		t.Errorf("RunName of / = %q", got)
	}
}
