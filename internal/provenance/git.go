package provenance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/record"
)

const (
	// MaxDiff is the most of a diff that is stored, in bytes.
	MaxDiff = 1 << 20
	// maxNew is the size above which a file that git does not know is named and
	// not stored.
	maxNew     = 128 << 10
	maxLeftOut = 100
	// emptyTree is what a repository without a commit is compared with.
	emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
)

// confidential are names of files whose content is never stored.
var confidential = []string{".env", ".env.*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", ".netrc", ".pypirc", ".git-credentials", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "kaggle.json", "credentials", "credentials.*"}

// code are the ends of names that a secret word does not make confidential:
// tokenizer.py.
var code = []string{".py", ".pyi", ".pyx", ".ipynb", ".c", ".cc", ".cpp", ".cu", ".cuh", ".go", ".h", ".hpp", ".rs", ".md", ".rst"}

// Git reads the repository that dir lies in with the git program, which must
// answer before ctx is done. Without a repository, or without the program, there
// is nothing: nil. Nothing is said of the directories without, absolute paths.
func Git(ctx context.Context, dir string, diff bool, without ...string) (*record.Git, []byte) {
	if dir == "" {
		return nil, nil
	}
	g := repository{ctx: ctx, top: dir}
	top, err := g.line("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, nil
	}
	g.top = filepath.FromSlash(top)
	info := &record.Git{}
	tree := emptyTree
	if info.Commit, err = g.line("rev-parse", "--verify", "--quiet", "HEAD"); err == nil {
		tree = "HEAD"
	}
	info.Branch, _ = g.line("symbolic-ref", "--quiet", "--short", "HEAD")
	rest := g.rest(without)
	changed := g.names(append([]string{"diff", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=dirty", tree, "--", "."}, rest...)...)
	added := g.names(append([]string{"ls-files", "--others", "--exclude-standard", "-z", "--", "."}, rest...)...)
	info.Changed, info.Untracked, info.Dirty = len(changed), len(added), len(changed) > 0
	if !diff || ctx.Err() != nil {
		return info, nil
	}
	for _, name := range changed {
		if isConfidential(name) {
			leaveOut(info, name)
			rest = append(rest, ":(top,exclude,literal)"+name)
		}
	}
	var text []byte
	if len(changed) > 0 {
		text, _ = g.output(MaxDiff+1, append([]string{"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", tree, "--", "."}, rest...)...)
	}
	for _, name := range added {
		if len(text) > MaxDiff || ctx.Err() != nil {
			break
		}
		if one := g.added(name); one != nil {
			text = append(text, one...)
		} else {
			leaveOut(info, name)
		}
	}
	if len(text) > MaxDiff {
		text, info.Truncated = wholeLines(text[:MaxDiff]), true
	}
	return info, text
}

func leaveOut(g *record.Git, name string) {
	if len(g.LeftOut) < maxLeftOut {
		g.LeftOut = append(g.LeftOut, name)
	}
}

func wholeLines(text []byte) []byte { return text[:bytes.LastIndexByte(text, '\n')+1] }

// isConfidential reports whether the content of a file is not to be stored.
func isConfidential(name string) bool {
	base := strings.ToLower(path.Base(name))
	for _, pattern := range confidential {
		if ok, _ := path.Match(pattern, base); ok {
			return true
		}
	}
	return Secret(base) && !slices.Contains(code, path.Ext(base))
}

// repository asks the git program about one working tree.
type repository struct {
	ctx context.Context
	top string
}

// rest are the words that leave directories out.
func (g repository) rest(without []string) (words []string) {
	top, err := filepath.EvalSymlinks(g.top)
	if err != nil {
		return nil
	}
	for _, dir := range without {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		rel, err := filepath.Rel(top, dir)
		if err == nil && rel != "." && filepath.IsLocal(rel) {
			words = append(words, ":(top,exclude,literal)"+filepath.ToSlash(rel))
		}
	}
	return words
}

// line is the one line of an answer.
func (g repository) line(words ...string) (string, error) {
	b, err := g.output(4096, words...)
	return strings.TrimSpace(string(b)), err
}

// names are those of an answer that ends each with a zero byte.
func (g repository) names(words ...string) (names []string) {
	b, _ := g.output(MaxDiff, words...)
	for name := range strings.SplitSeq(string(b), "\x00") {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// output is what git answers, at most so many bytes of it. It takes no lock and
// asks nobody; of what a repository can configure, programs that watch files,
// show differences or turn files into text are not started.
func (g repository) output(most int, words ...string) ([]byte, error) {
	options := []string{"-C", g.top, "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.quotepath=off", "-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false"}
	c := exec.CommandContext(g.ctx, "git", append(options, words...)...)
	c.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	c.WaitDelay = 200 * time.Millisecond
	out := &bounded{most: most}
	c.Stdout = out
	err := c.Run()
	if len(out.b) >= most {
		err = nil // it was ended because there was enough
	}
	return out.b, err
}

// bounded takes bytes until it is full.
type bounded struct {
	b    []byte
	most int
}

func (w *bounded) Write(p []byte) (int, error) {
	n := min(len(p), w.most-len(w.b))
	w.b = append(w.b, p[:n]...)
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// added is the diff of a file that git does not know; nil when it is binary,
// large, confidential or no plain file.
func (g repository) added(name string) []byte {
	if isConfidential(name) || strings.ContainsAny(name, "\n\"\\") {
		return nil
	}
	file := filepath.Join(g.top, filepath.FromSlash(name))
	st, err := os.Lstat(file)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxNew {
		return nil
	}
	b, err := os.ReadFile(file)
	if err != nil || len(b) > maxNew || !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return nil
	}
	mode := "100644"
	if st.Mode()&0o100 != 0 {
		mode = "100755"
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "diff --git a/%s b/%s\nnew file mode %s\n", name, name, mode)
	if len(b) == 0 {
		return out.Bytes()
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	fmt.Fprintf(&out, "--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n", name, len(lines))
	for _, line := range lines {
		out.WriteByte('+')
		out.Write(line)
	}
	if b[len(b)-1] != '\n' {
		out.WriteString("\n\\ No newline at end of file\n")
	}
	return out.Bytes()
}
