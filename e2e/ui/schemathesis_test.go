package ui

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// Requests that are generated from the OpenAPI document get no 500, no answer that
// breaks its schema, and an answer in time. They change a copy of the runs; only deleting
// is left out, after which nothing would be there to ask for.
func TestGeneratedRequests(t *testing.T) {
	program := filepath.Join(testenv.Root(), "build", "env", "api", "bin", "schemathesis")
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("find schemathesis: %v; ./test.sh installs it", err)
	}
	dir, runs := t.TempDir(), t.TempDir()
	if err := os.CopyFS(runs, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	d := serving(t, runs)
	config := filepath.Join(dir, "schemathesis.toml")
	names := "[parameters]\n\"path.run\" = \"" + ranks + "\"\n" // a name that is made up only ever gets a 404
	if err := os.WriteFile(config, []byte(names), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--config-file", config, "run", d.base+"/api/v1/openapi.json", "--header", "Authorization: Bearer "+d.Token, "--header", "X-Vigil: 1",
		"--max-time", "60", "--seed", "1", "--generation-deterministic", "--no-color", "--max-response-time", "20", "--exclude-path-regex", "/stream$", "--exclude-operation-id", deleting,
		"--checks", "not_a_server_error,response_schema_conformance,content_type_conformance,status_code_conformance")
	cmd.Dir, cmd.Env = dir, environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("schemathesis: %v\n%s", err, short(string(out)))
	}
}

// deleting is the operation that removes a run.
const deleting = "delete-run"

// short is a text with lines that can be read.
func short(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if len(l) > 600 {
			lines[i] = l[:600] + "..."
		}
	}
	return strings.Join(lines, "\n")
}
