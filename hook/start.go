package hook

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
)

func hello(o Options) capture.Hello {
	var id [16]byte
	rand.Read(id[:]) // never fails
	return capture.Hello{
		Session: hex.EncodeToString(id[:]), PID: os.Getpid(),
		Rank: o.Rank, LocalRank: o.LocalRank, World: o.World,
		Framework: record.Framework{Name: "go", Version: strings.TrimPrefix(runtime.Version(), "go")},
		Language:  record.Framework{Name: "go", Version: strings.TrimPrefix(runtime.Version(), "go")},
		Script:    os.Args[0],
	}
}

// startAgent runs `vigil agent --for-pid` and waits for its address.
func startAgent() (socket string, err error) {
	bin := os.Getenv("VIGIL_BIN")
	if bin == "" {
		bin = "vigil"
	}
	cmd := exec.Command(bin, "agent", "--for-pid", strconv.Itoa(os.Getpid()))
	detach(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", fmt.Errorf("start agent: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start agent: %w", err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	go cmd.Wait()
	if err != nil {
		return "", fmt.Errorf("start agent: it ended before it listened: %w", err)
	}
	var at struct {
		Socket string `json:"socket"`
	}
	if err := json.Unmarshal(line, &at); err != nil || at.Socket == "" {
		return "", fmt.Errorf("start agent: unexpected answer %.200q", line)
	}
	return at.Socket, nil
}
