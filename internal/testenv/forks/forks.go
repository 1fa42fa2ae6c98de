// Package forks runs Python scripts in forks of one process that has PyTorch in
// its memory: to start Python with PyTorch takes seconds, a fork milliseconds.
// The scripts see their own arguments, environment, directory and streams.
package forks

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// Server is the process that forks. Several scripts may run at the same time.
type Server struct {
	python, socket, client string

	input io.Closer // the process ends with it
	ended chan struct{}
}

// startLimit is the longest that Python may take to load PyTorch: seconds, but minutes where others keep the machine busy.
const startLimit = 10 * time.Minute

// Watched starts a process whose forks vigil run can watch: as in any Python
// below vigil run, the hook waits in it for a script that trains. Its socket
// is made in dir.
func Watched(python, dir string) (*Server, error) {
	scripts := filepath.Join(testenv.Root(), "e2e", "scripts")
	lib := filepath.Join(testenv.Root(), "python")
	s := &Server{python: python, socket: filepath.Join(dir, "forks"), client: filepath.Join(scripts, "run_in_fork.py")}
	process := exec.Command(python, filepath.Join(scripts, "fork_server.py"), s.socket)
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "VIGIL") && !strings.HasPrefix(e, "PYTHONPATH=") {
			process.Env = append(process.Env, e)
		}
	}
	process.Env = append(process.Env, "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1",
		"VIGIL_SOCKET=/the/script's/own", // a script connects where its own environment says
		"PYTHONPATH="+filepath.Join(lib, "boot")+string(os.PathListSeparator)+lib)
	process.Stderr = os.Stderr
	var err error
	if s.input, err = process.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start the process that forks for scripts: %w", err)
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("start the process that forks for scripts: %w", err)
	}
	s.ended = make(chan struct{})
	go func() {
		_ = process.Wait()
		close(s.ended)
	}()
	timeout, poll := time.After(startLimit), time.NewTicker(20*time.Millisecond)
	defer poll.Stop()
	for {
		if _, err := os.Stat(s.socket); err == nil {
			return s, nil
		}
		select {
		case <-poll.C:
		case <-s.ended:
			return nil, fmt.Errorf("start the process that forks for scripts: %q ended while it loaded PyTorch: %v", python, process.ProcessState)
		case <-timeout:
			_ = process.Process.Kill()
			s.Close()
			return nil, fmt.Errorf("start the process that forks for scripts: %q has not loaded PyTorch in %v", python, startLimit)
		}
	}
}

// Shell is the beginning of a shell's command that runs a script in a fork; the script and its arguments follow.
func (s *Server) Shell() string {
	return fmt.Sprintf("'%s' '%s' '%s'", s.python, s.client, s.socket)
}

// Command is the command that runs a script in a fork. It ends as the script
// ends, which is not its child.
func (s *Server) Command(script string, arguments ...string) []string {
	return append([]string{s.python, s.client, s.socket, script}, arguments...)
}

// Close ends the process; scripts that still run go on.
func (s *Server) Close() {
	s.input.Close()
	<-s.ended
}
