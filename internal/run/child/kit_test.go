package child

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/redact"
)

// launcher is the one of all tests, which TestMain closes: looking at a machine takes
// several starts of Node.js.
var launcher = New(Config{Log: slog.New(slog.DiscardHandler), NodePath: os.Getenv("STOA_TEST_NODE"), ProbeTimeout: time.Minute})

func TestMain(m *testing.M) {
	code := m.Run()
	_ = launcher.Close()
	os.Exit(code)
}

// serve is a program that is ready and shows signs of life. It answers every request
// with what the function answer returns.
const serve = `
const fs = require('fs')
process.on('SIGTERM', () => process.exit()) // the first process of a namespace ignores it otherwise
setInterval(() => fs.writeSync(4, '.'), 10)
require('http').createServer(async (req, res) => { res.end(String(await answer(req))) })
  .listen({ fd: 3 }, () => fs.writeSync(4, '{"ready":true}\n'))
`

// start starts the program text, which the test need not end, and returns it at once.
func start(tb testing.TB, text string, change ...func(*Spec)) *Child {
	tb.Helper()
	dir := tb.TempDir()
	entry := filepath.Join(dir, "index.js")
	if err := os.WriteFile(entry, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(tb.Output(), nil))
	spec := Spec{
		Log: log, Output: NewOutput(log, PluginSays, redact.Secrets(nil)), Input: strings.NewReader(""),
		Dir: dir, Data: filepath.Dir(dir), Args: []string{entry}, HeapMiB: 64, Stall: time.Minute,
	}
	for _, c := range change {
		c(&spec)
	}
	c, err := launcher.Start(tb.Context(), spec)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { <-c.Exited() }) // it ends with the context of the test
	return c
}

// ready starts a program and waits until it is ready.
func ready(tb testing.TB, text string, change ...func(*Spec)) *Child {
	tb.Helper()
	c := start(tb, text, change...)
	if err := c.Ready(2*time.Minute, nil); err != nil {
		tb.Fatal(err)
	}
	return c
}

// exits waits until the child is gone, and returns why it ended.
func exits(tb testing.TB, c *Child) error {
	tb.Helper()
	select {
	case <-c.Exited():
		return c.Err()
	case <-time.After(2 * time.Minute):
		tb.Fatalf("process %d does not end; Err returns %v", c.PID(), c.Err())
		return nil
	}
}

// ask sends a request to the child and returns the answer's body. It fails with the
// connection.
func ask(tb testing.TB, c *Child, path string) (string, error) {
	tb.Helper()
	conn, err := c.Dial(tb.Context())
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.0\r\n\r\n"); err != nil {
		return "", err
	}
	text, err := io.ReadAll(conn)
	_, body, _ := strings.Cut(string(text), "\r\n\r\n")
	return body, err
}
