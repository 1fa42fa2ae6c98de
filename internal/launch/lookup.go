package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Lookup finds the file that a command's first word names, the way a shell
// does. Its error is a *StartError with the shell's code: 127 when there is
// none, 126 when there is one that cannot be executed.
func Lookup(name string) (string, error) {
	if name == "" {
		return "", &StartError{Code: ExitNotFound, Message: "the command's name is empty", What: name}
	}
	if strings.ContainsRune(name, filepath.Separator) {
		ok, err := executable(name)
		switch {
		case err != nil:
			return "", &StartError{Code: ExitNotFound, Message: fmt.Sprintf("there is no command %q: %v", name, cause(err)), What: name}
		case !ok:
			return "", notExecutable(name)
		}
		return name, nil
	}
	refused := ""
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if dir == "" {
			dir = "."
		}
		path := filepath.Join(dir, name)
		if dir == "." {
			path = "." + string(filepath.Separator) + name
		}
		switch ok, err := executable(path); {
		case err != nil:
		case ok:
			return path, nil
		case refused == "":
			refused = path
		}
	}
	if refused != "" {
		return "", notExecutable(refused)
	}
	hint := "is it installed, and is its virtual environment active?"
	if _, err := os.Stat(name); err == nil {
		hint = fmt.Sprintf("there is a file %q here: start it as ./%s, or with its interpreter", name, name)
		if strings.HasSuffix(name, ".py") {
			hint = fmt.Sprintf("there is a script %q here: start it with `vigil run -- python %s`", name, name)
		}
	}
	return "", &StartError{Code: ExitNotFound, Message: fmt.Sprintf("there is no command %q in PATH", name), What: name, Hint: hint}
}

// executable reports whether path is a file that may be executed; an error says
// that there is nothing.
func executable(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if info.IsDir() {
		return false, nil
	}
	return runtime.GOOS == "windows" || mayExecute(path), nil
}

func notExecutable(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return &StartError{Code: ExitNotExecutable, Message: fmt.Sprintf("%q is a directory, not a command", path), What: path}
	}
	hint := fmt.Sprintf("make it executable with `chmod +x %s`, or start it with its interpreter", path)
	if strings.HasSuffix(path, ".py") {
		hint = fmt.Sprintf("start it with `vigil run -- python %s`", path)
	}
	return &StartError{Code: ExitNotExecutable, Message: fmt.Sprintf("%q is not executable", path), What: path, Hint: hint}
}

// cause is the reason in an error of the file system, without operation and
// path.
func cause(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}
