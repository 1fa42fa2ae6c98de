package cli

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/vigil-ml/vigil/internal/server"
)

// uiCmd serves the dashboard.
type uiCmd struct {
	rootArg
	Listen   string   `name:"listen" placeholder:"ADDR" help:"Address and port to listen on: 127.0.0.1:7445, :8080 for every address, a port alone (default: 127.0.0.1, port 7445 or the next that is free)."`
	Port     int      `name:"port" placeholder:"N" help:"Port on this machine, as --listen N; 0 takes one that is free." default:"-1"`
	Open     bool     `name:"open" help:"Open it in the browser."`
	ReadOnly bool     `name:"read-only" help:"Refuse every change."`
	BasePath string   `name:"base-path" placeholder:"P" help:"The path below which a reverse proxy hands requests on, such as /vigil; {port} in it is the port."`
	Host     []string `name:"host" sep:"none" placeholder:"NAME" help:"A further name that it answers to, such as the one of a reverse proxy; repeatable."`
	FramedBy []string `name:"framed-by" sep:"none" placeholder:"ORIGIN" help:"Pages that may show it in a frame, such as http://localhost:8888, or self: those of the same address, behind a proxy; repeatable (default: none)."`
	TLSCert  string   `name:"tls-cert" placeholder:"F" help:"Certificate, PEM; makes it https."`
	TLSKey   string   `name:"tls-key" placeholder:"F" help:"The certificate's key, PEM."`
	JSON     bool     `name:"json" help:"Print the address as JSON."`

	Beside bool `name:"beside" hidden:"" help:"End when standard input does. A line of it lets one browser in, as the token would, and is answered with a line."`
}

// Help teaches the command.
func (uiCmd) Help() string {
	return `Examples:

    vigil ui
    vigil ui /data/runs --open
    vigil ui --listen 8080 --read-only
    vigil ui --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem
    vigil ui --base-path /vigil --host lab.example.org
    vigil ui --framed-by http://localhost:8888

Prints the address of the dashboard, with an access token, and serves it until Ctrl-C. It listens on this machine only, unless
--listen says otherwise. Over ssh it prints the command that brings it to the machine with the browser. It reads what is stored, so it can be
started before, while and after jobs run; it changes only runs that the same user started.

Exit codes: 0, or 1 when the address is taken or a file cannot be read.`
}

// Where the dashboard listens when nothing is said: the first of these ports that
// is free.
const (
	uiPort  = 7445
	uiPorts = 50
)

// Run serves until the process is asked to end.
func (c uiCmd) Run(a *app) error {
	where, err := c.chosen()
	if err != nil {
		return err
	}
	root, err := where.directory()
	if err != nil {
		return err
	}
	certificates, err := c.certificates()
	if err != nil {
		return err
	}
	base, err := c.base()
	if err != nil {
		return err
	}
	for _, f := range c.FramedBy {
		if err := server.Framer(f); err != nil {
			return &usage{Message: "--framed-by: " + err.Error(), What: "--framed-by", Hint: "the beginning of the page's address, with its port: http://localhost:8888, https://hub.example.org"}
		}
	}
	listener, err := c.listen(a)
	if err != nil {
		return err
	}
	defer listener.Close()
	base = strings.ReplaceAll(base, "{port}", strconv.Itoa(listener.Addr().(*net.TCPAddr).Port))
	o := server.Options{Root: root, Version: version(), App: pageFiles(), Token: server.NewToken(), Hosts: c.Host, FramedBy: c.FramedBy, Certificates: certificates,
		ReadOnly: c.ReadOnly, BasePath: base, Log: slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	s := server.New(o)
	at := uiAddress{listener.Addr().(*net.TCPAddr), len(certificates) > 0, base, o.Token}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := c.say(a, at, root); err != nil {
		return err
	}
	if c.Beside {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() { lettingIn(s, a); cancel() }()
	}
	if c.Open {
		shut, err := openBrowser(at.url(at.host()))
		if err != nil {
			fmt.Fprintf(a.stderr, "vigil: open the browser: %v; open the address yourself\n", err)
		}
		defer shut()
	}
	return s.Serve(ctx, listener)
}

// lettingIn takes secrets that let in, one a line, until standard input ends.
func lettingIn(s *server.Server, a *app) {
	lines := bufio.NewScanner(a.stdin)
	for lines.Scan() {
		if len(lines.Text()) < 32 { // it could be guessed
			continue
		}
		s.Ticket(lines.Text())
		fmt.Fprintln(a.stdout, "ok")
	}
	_, _ = io.Copy(io.Discard, a.stdin) // after a line that is too long
}

// say prints the address on standard output, and what to know of it on standard error.
func (c uiCmd) say(a *app, at uiAddress, root string) error {
	tunnel := at.tunnel(os.Getenv("SSH_CONNECTION"))
	if c.JSON {
		return writeJSON(a.stdout, map[string]any{"url": at.url(at.host()), "token": at.token, "address": at.addr.String(), "root": root, "read_only": c.ReadOnly, "tunnel": tunnel})
	}
	if _, err := fmt.Fprintln(a.stdout, at.url(at.host())); err != nil {
		return err
	}
	if tunnel != "" {
		fmt.Fprintf(a.stderr, "vigil: on the machine with the browser, then open the address there: %s\n", tunnel)
	}
	if !at.addr.IP.IsLoopback() && !at.tls {
		fmt.Fprintln(a.stderr, "vigil: everybody on the network between can read the token and the runs: the connection is not encrypted")
		fmt.Fprintln(a.stderr, "  --tls-cert and --tls-key encrypt it; or leave out --listen and reach it through ssh -L")
	}
	fmt.Fprintf(a.stderr, "vigil: shows the runs in %s; Ctrl-C ends it\n", printable(root))
	return nil
}

// base is --base-path as a server wants it.
func (c uiCmd) base() (string, error) {
	base := "/" + strings.Trim(c.BasePath, "/")
	if base == "/" {
		return "", nil
	}
	for _, r := range base {
		if r <= ' ' || r == 0x7f || strings.ContainsRune(`?#%"'<>\;`, r) {
			return "", &usage{Message: fmt.Sprintf("--base-path %q has a %q", c.BasePath, r), What: "--base-path", Hint: "a path of plain words, such as /vigil"}
		}
	}
	if strings.Contains(base, "//") || strings.Contains(base+"/", "/../") || strings.Contains(base+"/", "/./") {
		return "", &usage{Message: fmt.Sprintf("--base-path %q is not a plain path", c.BasePath), What: "--base-path", Hint: "a path of plain words, such as /vigil"}
	}
	return base, nil
}

func (c uiCmd) certificates() ([]tls.Certificate, error) {
	if c.TLSCert == "" && c.TLSKey == "" {
		return nil, nil
	}
	if c.TLSCert == "" || c.TLSKey == "" {
		return nil, &usage{Message: "--tls-cert and --tls-key go together", What: "--tls-cert", Hint: "give both files"}
	}
	pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, &usage{Message: fmt.Sprintf("read the certificate: %v", err), What: "--tls-cert " + c.TLSCert, Hint: "both files are PEM, and the key is the certificate's"}
	}
	return []tls.Certificate{pair}, nil
}

// listen opens the address. Without --listen another port is taken when the usual
// one is not free.
func (c uiCmd) listen(a *app) (net.Listener, error) {
	switch {
	case c.Port >= 0 && c.Listen != "":
		return nil, &usage{Message: "--port and --listen both name a port", What: "--port", Hint: "leave out one"}
	case c.Port > 65535 || c.Port < -1:
		return nil, &usage{Message: fmt.Sprintf("--port %d is no port", c.Port), What: "--port", Hint: "a number from 0 to 65535; 0 takes one that is free"}
	case c.Port >= 0:
		c.Listen = strconv.Itoa(c.Port)
	}
	if c.Listen == "" {
		for port := uiPort; port < uiPort+uiPorts; port++ {
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			if err == nil {
				if port != uiPort && !c.JSON {
					fmt.Fprintf(a.stderr, "vigil: port %d is taken; this is port %d\n", uiPort, port)
				}
				return l, nil
			}
			if !taken(err) {
				return nil, fmt.Errorf("listen on 127.0.0.1:%d: %w", port, err)
			}
		}
		return nil, &usage{Message: fmt.Sprintf("ports %d to %d are all taken", uiPort, uiPort+uiPorts-1), What: "vigil ui", Hint: "--listen 127.0.0.1:0 takes any that is free"}
	}
	l, err := net.Listen("tcp", listenAddress(c.Listen))
	if err == nil {
		return l, nil
	}
	hint := "an address of this machine and a port: 127.0.0.1:8080, :8080 for every address"
	if taken(err) {
		hint = "another program has the port; choose another, or 0 for any that is free"
	}
	return nil, &usage{Message: fmt.Sprintf("listen on %q: %v", c.Listen, err), What: "--listen", Hint: hint}
}

func taken(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }

// listenAddress is what --listen means: a port alone is on this machine only, an
// address alone has the usual port.
func listenAddress(text string) string {
	if _, err := strconv.Atoi(text); err == nil {
		return net.JoinHostPort("127.0.0.1", text)
	}
	if _, _, err := net.SplitHostPort(text); err != nil {
		return net.JoinHostPort(strings.Trim(text, "[]"), strconv.Itoa(uiPort))
	}
	return text
}

// uiAddress is where the dashboard is.
type uiAddress struct {
	addr  *net.TCPAddr
	tls   bool
	base  string
	token string
}

// host is a name for the address that others can reach.
func (u uiAddress) host() string {
	if !u.addr.IP.IsUnspecified() {
		return u.addr.IP.String()
	}
	if name, err := os.Hostname(); err == nil {
		return name
	}
	return "127.0.0.1"
}

func (u uiAddress) url(host string) string {
	scheme := "http"
	if u.tls {
		scheme = "https"
	}
	return fmt.Sprintf("%s://%s%s/?token=%s", scheme, net.JoinHostPort(host, strconv.Itoa(u.addr.Port)), u.base, u.token)
}

// tunnel is the command that brings the address to the machine that somebody sits
// at, told by SSH_CONNECTION (client, its port, this machine, its port); "" when
// nobody came over ssh, or the address is reached without.
func (u uiAddress) tunnel(connection string) string {
	f := strings.Fields(connection)
	if len(f) != 4 || !u.addr.IP.IsLoopback() {
		return ""
	}
	port := strconv.Itoa(u.addr.Port)
	command := "ssh -N -L " + port + ":" + net.JoinHostPort(u.addr.IP.String(), port)
	if f[3] != "22" {
		command += " -p " + f[3]
	}
	name := f[2]
	if i := strings.LastIndexByte(name, '%'); i > 0 { // the zone is this machine's
		name = name[:i]
	}
	if who, err := user.Current(); err == nil {
		name = who.Username + "@" + name
	}
	return command + " " + name
}

// openBrowser opens an address. Other users see the command lines of all programs,
// so the token is not in one: the browser gets a file that leads to the address,
// which only this user can read. shut removes it.
func openBrowser(url string) (shut func(), err error) {
	shut = func() {}
	f, err := os.CreateTemp("", "vigil-*.html") // 0600
	if err != nil {
		return shut, err
	}
	shut = func() { os.Remove(f.Name()) }
	_, err = fmt.Fprintf(f, "<!doctype html><meta charset=\"utf-8\"><title>Vigil</title><meta http-equiv=\"refresh\" content=\"0; url=%s\"><p><a href=\"%s\">Vigil</a></p>\n", url, url)
	if err := errors.Join(err, f.Close()); err != nil {
		return shut, err
	}
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if b := os.Getenv("BROWSER"); b != "" && runtime.GOOS != "windows" && !strings.ContainsAny(b, " :%") {
		command = []string{b}
	}
	cmd := exec.Command(command[0], append(command[1:], f.Name())...)
	if err := cmd.Start(); err != nil {
		return shut, err
	}
	go func() { _ = cmd.Wait() }()
	return shut, nil
}
