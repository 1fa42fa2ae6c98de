package launch

import (
	"path/filepath"
	"strings"
)

// training is the environment of the training command: the user's, with the
// agent's address and our directories in front of PYTHONPATH.
func training(user []string, o *Options, socket, run, id string) []string {
	set := map[string]string{
		"VIGIL_SOCKET": socket,
		"VIGIL_RUN":    run,
		"VIGIL_LAUNCH": id,
		"PYTHONPATH":   pythonPath(o.PythonPath, Getenv(user, "PYTHONPATH")),
	}
	if len(o.Agent) > 0 {
		set["VIGIL_BIN"] = o.Agent[0]
	}
	if o.Settings.Resume != nil {
		set["VIGIL_RESUME"] = o.Settings.Name
	}
	if o.Settings.Config.Strict {
		set["VIGIL_STRICT"] = "1"
	}
	for name, off := range map[string]bool{"VIGIL_LOOK": o.Settings.Config.NoLook, "VIGIL_SOURCE": o.Settings.Config.NoSource} {
		if off {
			set[name] = "0"
		} else if Getenv(user, name) != "" {
			set[name] = "1" // a flag says so
		}
	}
	return with(user, set)
}

// pythonPath puts our directories in front of the user's value and keeps that
// to the letter: an empty element in it means the current directory, an empty
// value means none.
func pythonPath(ours []string, user string) string {
	path := strings.Join(ours, string(filepath.ListSeparator))
	if user == "" {
		return path
	}
	if path == "" {
		return user
	}
	return path + string(filepath.ListSeparator) + user
}

// with replaces variables of an environment, or adds them at its end.
func with(env []string, set map[string]string) []string {
	out := make([]string, 0, len(env)+len(set))
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if _, ours := set[name]; !ours {
			out = append(out, kv)
		}
	}
	for _, name := range []string{"VIGIL_SOCKET", "VIGIL_RUN", "VIGIL_LAUNCH", "VIGIL_BIN", "VIGIL_STRICT", "VIGIL_LOOK", "VIGIL_SOURCE", "VIGIL_AGENT", "VIGIL_RESUME", "PYTHONPATH"} {
		if value, ok := set[name]; ok {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// Getenv is the value of a variable in an environment; the last one counts, as
// in a shell.
func Getenv(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(env[i], "="); ok && k == name {
			return v
		}
	}
	return ""
}

// PythonEnviron is an environment in which Python starts as it does below
// `vigil run`, without an agent.
func PythonEnviron(env []string, boot, lib string) []string {
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); name != "VIGIL_SOCKET" {
			out = append(out, kv)
		}
	}
	return with(out, map[string]string{"PYTHONPATH": pythonPath([]string{boot, lib}, Getenv(env, "PYTHONPATH"))})
}
