package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is set by the release build (-ldflags "-X github.com/vigil-ml/vigil/cli.release=1.2.3").
var release string

// versionCmd prints what this binary is.
type versionCmd struct {
	JSON bool `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (versionCmd) Help() string {
	return "Example:\n\n    vigil version --json\n\nExit codes: 0."
}

// Run prints version, commit, platform and Go version.
func (c versionCmd) Run(a *app) error {
	commit, changed := commit()
	if c.JSON {
		return writeJSON(a.stdout, map[string]any{
			"version": version(), "commit": commit, "changed": changed,
			"go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		})
	}
	line := "vigil " + version()
	if commit != "" {
		line += " (" + commit[:min(12, len(commit))]
		if changed {
			line += ", with local changes"
		}
		line += ")"
	}
	_, err := fmt.Fprintf(a.stdout, "%s %s/%s %s\n", line, runtime.GOOS, runtime.GOARCH, runtime.Version())
	return err
}

// module is where this code is published.
const module = "github.com/vigil-ml/vigil"

// version is the release's number, or what the Go tool recorded, or "devel".
// In a program of others, which adds rules, it is that of the module they use.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
			if m.Path == module && m.Version != "" && m.Version != "(devel)" {
				return m.Version
			}
		}
	}
	return "devel"
}

// commit is the version control revision the binary was built from, when the
// Go tool recorded one.
func commit() (revision string, changed bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	return revision, changed
}
