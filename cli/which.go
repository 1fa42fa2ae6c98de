package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// This file answers which run is meant, for every command that takes RUN.

// newest is the word for the newest run; latest~1 is the one before.
const newest = "latest"

var latestWord = regexp.MustCompile(`^` + newest + `(~[0-9]{1,9})?$`)

// findRun resolves RUN to the run's directory, and to the name that messages give it.
// RUN is a name below root or a path, exactly; else latest or latest~N; else the
// beginning of one name below root. An empty word is the newest run.
func findRun(root, word string) (path, name string, err error) {
	if word == "" {
		return nthNewest(root, newest)
	}
	switch path, err := exactRun(root, word); {
	case err != nil:
		return "", "", err
	case path != "":
		return path, word, nil
	}
	if latestWord.MatchString(word) {
		return nthNewest(root, word)
	}
	names := runNames(root)
	var begun []string
	for _, n := range names {
		if strings.HasPrefix(n, word) {
			begun = append(begun, n)
		}
	}
	switch len(begun) {
	case 1:
		return filepath.Join(root, begun[0]), begun[0], nil
	case 0:
		return "", "", noRun(root, word, names)
	}
	return "", "", &usage{Message: fmt.Sprintf("%d runs in %q begin with %q", len(begun), root, word), What: word,
		Hint: namesBelow("write more of the name; these match, newest first:", begun)}
}

// exactRun is the directory of the run that a word names exactly: a name below
// root, or a path; "" when there is none. run.json itself is also taken for the
// run it is in.
func exactRun(root, word string) (string, error) {
	candidates := []string{filepath.Join(root, word), word}
	if strings.ContainsRune(word, filepath.Separator) || word == "." || word == ".." {
		candidates = []string{word, filepath.Join(root, word)}
	}
	for _, p := range candidates {
		p = strings.TrimSuffix(p, string(filepath.Separator)+"run.json")
		_, err := os.Stat(filepath.Join(p, "run.json"))
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !isNotDir(err) {
			return "", &usage{Message: fmt.Sprintf("read run %q: %v", word, err), What: word}
		}
	}
	return "", nil
}

// namesRun reports whether a word names a run exactly: as exactRun, or as latest.
func namesRun(root, word string) bool {
	path, err := exactRun(root, word)
	return err == nil && (path != "" || latestWord.MatchString(word))
}

// nthNewest resolves latest and latest~N.
func nthNewest(root, word string) (path, name string, err error) {
	list, err := trial.Briefs(root)
	if err != nil {
		return "", "", &usage{Message: err.Error(), What: root, Hint: "--dir or VIGIL_DIR selects another root"}
	}
	n := 0
	if _, back, ok := strings.Cut(word, "~"); ok {
		n, _ = strconv.Atoi(back)
	}
	switch {
	case len(list) == 0:
		return "", "", &usage{Message: fmt.Sprintf("there are no runs in %q", root), What: word,
			Hint: "`vigil run -- python train.py` creates one; --dir or VIGIL_DIR selects another root"}
	case n >= len(list):
		return "", "", &usage{Message: fmt.Sprintf("there is no run %q in %q: it has %s", word, root, record.Several(int64(len(list)), "run")), What: word,
			Hint: fmt.Sprintf("%s~%d is the oldest", newest, len(list)-1)}
	}
	return list[n].Path, filepath.Base(list[n].Path), nil
}

// noRun says that a word names no run, and the nearest that does.
func noRun(root, word string, names []string) error {
	if info, err := os.Stat(word); err == nil && info.IsDir() {
		return &usage{Message: fmt.Sprintf("%q is a directory but no run: it has no run.json", word), What: word,
			Hint: "`vigil ls " + word + "` lists the runs in it"}
	}
	return &usage{Message: fmt.Sprintf("there is no run %q in %q", word, root), What: word, Hint: nearest(word, names, runsHint(root, names))}
}

// runsHint says where runs are listed, or that there are none.
func runsHint(root string, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf("there are no runs in %q; --dir or VIGIL_DIR selects another root", root)
	}
	return fmt.Sprintf("`vigil ls %s` lists the %s there; --dir or VIGIL_DIR selects another root", root, record.Several(int64(len(names)), "run"))
}

// runNames are the names of the runs below root, the newest first.
func runNames(root string) []string {
	list, err := trial.Briefs(root)
	if err != nil {
		return nil
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = filepath.Base(e.Path)
	}
	return names
}

// namesBelow is a hint with names below it, of which there may be many.
func namesBelow(head string, names []string) string {
	const most = 10
	text := head
	for i, n := range names {
		if i == most {
			return text + fmt.Sprintf("\n  and %d more", len(names)-most)
		}
		text += "\n  " + printable(n)
	}
	return text
}

// onlyRunning is the one job that runs, for a command that may be given no name
// then.
func onlyRunning(root string) (path, name string, err error) {
	list, err := trial.Briefs(root)
	if err != nil {
		return "", "", &usage{Message: err.Error(), What: root, Hint: "--dir or VIGIL_DIR selects another root"}
	}
	var paths, names []string
	for _, e := range list {
		if e.Run.Status == record.Running {
			paths, names = append(paths, e.Path), append(names, filepath.Base(e.Path))
		}
	}
	switch len(names) {
	case 1:
		return paths[0], names[0], nil
	case 0:
		return "", "", &usage{Message: fmt.Sprintf("no job is running in %q", root), What: "RUN", Hint: "`vigil ls` lists the runs; --dir or VIGIL_DIR selects another root"}
	}
	return "", "", &usage{Message: fmt.Sprintf("%d jobs are running; name the one to stop", len(names)), What: "RUN", Hint: namesBelow("running, newest first:", names)}
}

// second makes the only word of a command that takes RUN and something else in it
// the other word, for the newest run, when it names no run exactly; it tells
// whether it did.
func (r *runArg) second(other *string) bool {
	if r.Name == "" || namesRun(r.root(), r.Name) {
		return false
	}
	r.Name, *other = "", r.Name
	return true
}

// neither says that the only word of such a command is neither of the two, and the
// nearest that is.
func neither(root, word, run string, infos []record.TensorInfo) error {
	known := runNames(root)
	hint := runsHint(root, known)
	var begun []string
	for _, n := range known {
		if strings.HasPrefix(n, word) {
			begun = append(begun, n)
		}
	}
	if len(begun) > 0 {
		hint = namesBelow("a single argument must be the full name of a run, or `latest`; these begin with it:", begun)
	}
	for _, info := range infos {
		known = append(known, info.Name)
	}
	return &usage{Message: fmt.Sprintf("%q is neither a run in %q nor a tensor of the newest one, %s", printable(word), root, printable(run)), What: word,
		Hint: nearest(word, known, hint)}
}
