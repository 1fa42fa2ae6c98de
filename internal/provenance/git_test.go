package provenance

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vigil-ml/vigil/internal/record"
)

// git runs the program in a directory.
func git(t *testing.T, dir string, words ...string) string {
	t.Helper()
	c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main"}, words...)...)
	b, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", words, err, b)
	}
	return strings.TrimSpace(string(b))
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// committed is a repository with some files in its one commit.
func committed(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir, map[string]string{"train.py": "lr = 1\nn = 2\n", "pkg/model.py": "x\n", "settings.env": "A=1\n", ".gitignore": "*.log\n"})
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "first")
	return dir
}

func TestGit(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  record.Git
		diff  []string // what is in the diff
		not   []string // and what is not
	}{
		{name: "clean", want: record.Git{Branch: "main"}},
		{
			name: "a changed file", files: map[string]string{"train.py": "lr = 2\nn = 2\n"},
			want: record.Git{Branch: "main", Dirty: true, Changed: 1}, diff: []string{"-lr = 1\n+lr = 2\n"},
		},
		{
			name: "a new file, and ignored ones", files: map[string]string{"new/tokenizer.py": "y = 1\nz", "out.log": "noise\n"},
			want: record.Git{Branch: "main", Untracked: 1}, diff: []string{"+++ b/new/tokenizer.py\n@@ -0,0 +1,2 @@\n+y = 1\n+z\n\\ No newline"}, not: []string{"noise"},
		},
		{
			name: "the folder of the runs", files: map[string]string{"vigil-runs/a/run.json": "{}"},
			want: record.Git{Branch: "main"},
		},
		{
			name: "confidential, binary and large files", files: map[string]string{
				"settings.env": "A=sesame\n", ".env": "B=sesame\n", "api_token.txt": "sesame\n", "id_rsa": "sesame", "data.bin": "\x00\x01", "big.csv": strings.Repeat("sesame\n", 20000),
			},
			want: record.Git{Branch: "main", Dirty: true, Changed: 1, Untracked: 5, LeftOut: []string{"settings.env", ".env", "api_token.txt", "big.csv", "data.bin", "id_rsa"}},
			not:  []string{"sesame"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := committed(t)
			write(t, dir, c.files)
			got, diff := Git(t.Context(), filepath.Join(dir, "pkg"), true, filepath.Join(dir, "vigil-runs"))
			c.want.Commit = git(t, dir, "rev-parse", "HEAD")
			if d := cmp.Diff(&c.want, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			for _, text := range c.diff {
				if !strings.Contains(string(diff), text) {
					t.Errorf("the diff has no %q:\n%s", text, diff)
				}
			}
			if len(c.diff) == 0 && len(diff) > 0 {
				t.Errorf("the diff has\n%s", diff)
			}
			for _, text := range c.not {
				if strings.Contains(string(diff), text) {
					t.Errorf("the diff has %q", text)
				}
			}
			if _, none := Git(t.Context(), dir, false); none != nil {
				t.Error("there is a diff though none was wanted")
			}
			// The diff makes of the commit what was there.
			if len(diff) > 0 {
				copied := filepath.Join(t.TempDir(), "copy")
				git(t, dir, "clone", "-q", dir, copied)
				write(t, copied, map[string]string{"../d.diff": string(diff)})
				git(t, copied, "apply", "../d.diff")
				for name, text := range c.files {
					if b, err := os.ReadFile(filepath.Join(copied, name)); !strings.HasSuffix(name, ".log") && (err != nil || string(b) != text) {
						t.Errorf("%s became %q, %v", name, b, err)
					}
				}
			}
		})
	}
}

// Nothing fails where there is no repository, no commit, no branch, no program, or no time.
func TestGitMissing(t *testing.T) {
	dir := committed(t)
	if got, diff := Git(t.Context(), t.TempDir(), true); got != nil || diff != nil {
		t.Errorf("outside of a repository: %+v", got)
	}
	if got, _ := Git(t.Context(), "", true); got != nil {
		t.Errorf("of no directory: %+v", got)
	}
	git(t, dir, "checkout", "-q", "--detach")
	if got, _ := Git(t.Context(), dir, true); got == nil || got.Branch != "" || got.Commit == "" {
		t.Errorf("without a branch: %+v", got)
	}
	fresh := t.TempDir()
	git(t, fresh, "init", "-q")
	write(t, fresh, map[string]string{"a.py": "1\n"})
	git(t, fresh, "add", "-A")
	if got, diff := Git(t.Context(), fresh, true); got == nil || got.Commit != "" || got.Changed != 1 || !bytes.Contains(diff, []byte("+1\n")) {
		t.Errorf("before the first commit: %+v\n%s", got, diff)
	}
	ended, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	if got, _ := Git(ended, dir, true); got != nil {
		t.Errorf("without time: %+v", got)
	}
	t.Setenv("PATH", t.TempDir())
	if got, _ := Git(t.Context(), dir, true); got != nil {
		t.Errorf("without the program: %+v", got)
	}
}

func TestGitLongDiff(t *testing.T) {
	dir := committed(t)
	write(t, dir, map[string]string{"train.py": strings.Repeat("a line of a long file\n", 100_000)})
	got, diff := Git(t.Context(), dir, true)
	if !got.Truncated || len(diff) > MaxDiff || len(diff) < MaxDiff-100 || diff[len(diff)-1] != '\n' {
		t.Errorf("%d bytes, %+v", len(diff), got)
	}
}

func TestPackages(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	write(t, first, map[string]string{
		"torch-2.15.0.dist-info/METADATA": "", "torch/__init__.py": "", "ruamel.yaml-0.18.dist-info/METADATA": "", "old-1.0-py3.10.egg-info/PKG-INFO": "",
		"dev_tool.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: dev-tool\nVersion: 3\n\nVersion: no\n",
	})
	write(t, second, map[string]string{"torch-1.0.dist-info/METADATA": "", "numpy-2.0.dist-info/METADATA": ""})
	got := Packages([]string{"", "relative", filepath.Join(first, "none"), first, second})
	if d := cmp.Diff(map[string]string{"torch": "2.15.0", "ruamel.yaml": "0.18", "old": "1.0", "dev-tool": "3", "numpy": "2.0"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
