package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vigil-ml/vigil/internal/assistant"
	"github.com/vigil-ml/vigil/internal/runs"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// mcpCmd answers coding assistants.
type mcpCmd struct {
	rootArg
	Write bool `name:"write" help:"Also offer tools that change something: stop a job, tag a run, mute findings, change what is captured."`
}

// Help teaches the command.
func (mcpCmd) Help() string {
	return `Examples:

    vigil mcp
    vigil mcp /data/runs
    vigil mcp --write

An assistant starts it and speaks with it over standard input and output, by the Model Context Protocol; the page on assistants
shows the set-up. It changes nothing in a run unless --write is given.

Exit codes: 0 when the assistant has ended it, else 1.`
}

// Run serves until standard input ends.
func (c mcpCmd) Run(a *app) error {
	where, err := c.chosen()
	if err != nil {
		return err
	}
	root, err := where.directory()
	if err != nil {
		return err
	}
	index := runs.Open(vfs.OS, root, runs.Options{})
	defer index.Close()
	s := assistant.New(assistant.Options{
		Root: root, Version: version(), Write: c.Write, Index: index,
		Find: func(word string) (string, string, error) { return findRun(root, word) },
		Command: func(words ...string) (string, string, int) {
			var out, said bytes.Buffer
			code := execute(words, os.Stdin, &out, &said)
			return out.String(), said.String(), code
		},
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.Run(ctx, &mcp.StdioTransport{}); err != nil && ctx.Err() == nil {
		return fmt.Errorf("speak with the assistant: %w", err)
	}
	return nil
}
