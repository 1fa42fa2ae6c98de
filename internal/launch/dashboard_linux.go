package launch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/proc"
)

// dashboard is the server that shows the job while it runs: a process of its own, so
// that nothing that happens to it reaches the launcher. It carries the agent's mark
// and belongs to no job.
type dashboard struct {
	stdin *os.File // it ends when this closes; nil: it was not started
}

// dashboardNice is how far it steps back behind the training.
const dashboardNice = 10

// startDashboard starts it and tells its address when it is ready. That it cannot be
// started is told, and changes nothing for the job.
func (l *launcher) startDashboard() *dashboard {
	d, out, states, err := l.forkDashboard()
	if err != nil {
		l.tell(notice("warning", "training continues; `vigil ui` starts it by hand", "cannot start the dashboard: %v", err))
		return &dashboard{}
	}
	go func() {
		defer out.Close()
		told := false
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if !told {
				l.tell(dashboardNotice(lines.Bytes()))
			}
			told = true
		}
		for range states { // its end is nobody's business
		}
		if !told {
			l.tell(notice("warning", "training continues; `vigil ui` starts it by hand", "the dashboard ended as soon as it began"))
		}
	}()
	return d
}

// dashboardNotice is what the dashboard's first line says.
func dashboardNotice(line []byte) live.Event {
	var said struct {
		URL    string `json:"url"`
		Tunnel string `json:"tunnel"`
		Error  *struct {
			Message string `json:"message"`
			Hint    string `json:"hint"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(line, &said); {
	case err == nil && said.URL != "":
		hint := ""
		if said.Tunnel != "" {
			hint = "on the machine with the browser, then open the address there: " + said.Tunnel
		}
		return notice("asked", hint, "dashboard: %s", said.URL)
	case err == nil && said.Error != nil:
		return notice("warning", said.Error.Hint, "there is no dashboard: %s", said.Error.Message)
	}
	return notice("warning", "", "there is no dashboard: it printed %.200q", line)
}

func (l *launcher) forkDashboard() (d *dashboard, out *os.File, states <-chan syscall.WaitStatus, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	defer null.Close()
	stdin, write, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	defer stdin.Close()
	read, stdout, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, errors.Join(err, write.Close())
	}
	defer stdout.Close()
	pid, states, err := l.reaper.start(func() (int, error) {
		return syscall.ForkExec(l.o.Dashboard[0], l.o.Dashboard, &syscall.ProcAttr{
			Env:   with(l.o.Environ, map[string]string{proc.Agent: fmt.Sprint(os.Getpid())}),
			Files: []uintptr{stdin.Fd(), stdout.Fd(), null.Fd()},
			// A session of its own: nothing the terminal does reaches it.
			Sys: &syscall.SysProcAttr{Setsid: true},
		})
	})
	if err != nil {
		return nil, nil, nil, errors.Join(err, write.Close(), read.Close())
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, pid, dashboardNice)
	// Where memory runs out it goes before the training.
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("900"), 0)
	return &dashboard{write}, read, states, nil
}

// end lets it end by itself; nobody waits.
func (d *dashboard) end() {
	if d.stdin != nil {
		d.stdin.Close()
	}
}
