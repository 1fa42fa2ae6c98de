package ui

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// Requests that are generated from the OpenAPI document get no 500, no answer that
// breaks its schema, and an answer in time. They change a copy of the runs; only deleting
// is left out, after which nothing would be there to ask for. Ten seconds of them are
// made, and a minute where VIGIL_TEST_LONG is set.
func TestGeneratedRequests(t *testing.T) {
	if err := <-generated(); err != nil {
		t.Error(err)
	}
}

// generated begins to make the requests, once: next to the tests in the browser where
// all tests are run. How they went can be received once.
var generated = sync.OnceValue(func() <-chan error {
	done := make(chan error, 1)
	go func() { done <- generate() }()
	return done
})

// generate makes the requests against a dashboard over a copy of the runs.
func generate() error {
	program := filepath.Join(testenv.Root(), "build", "env", "api", "bin", "schemathesis")
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("find schemathesis: %w; ./test.sh installs it", err)
	}
	dir, err := os.MkdirTemp("", "vigil-generated-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(filepath.Join(dir, "runs"), os.DirFS(root)); err != nil {
		return err
	}
	d, err := serve(dir, filepath.Join(dir, "runs"))
	if err != nil {
		return err
	}
	defer d.end()
	config := filepath.Join(dir, "schemathesis.toml")
	names := "[parameters]\n\"path.run\" = \"" + ranks + "\"\n" // a name that is made up only ever gets a 404
	if err := os.WriteFile(config, []byte(names), 0o644); err != nil {
		return err
	}
	seconds := "10"
	if os.Getenv("VIGIL_TEST_LONG") != "" {
		seconds = "60"
	}
	cmd := exec.Command(program, "--config-file", config, "run", d.base+"/api/v1/openapi.json", "--header", "Authorization: Bearer "+d.Token, "--header", "X-Vigil: 1",
		"--max-time", seconds, "--seed", "1", "--generation-deterministic", "--no-color", "--max-response-time", "20", "--exclude-path-regex", "/stream$", "--exclude-operation-id", deleting,
		"--checks", "not_a_server_error,response_schema_conformance,content_type_conformance,status_code_conformance")
	cmd.Dir, cmd.Env = dir, environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("schemathesis: %w\n%s", err, short(string(out)))
	}
	return nil
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
