package proof

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/porttest"
)

// edgeConfig is what docs/replicas.md tells operators to write, beside what a test needs:
// ports, folders, and who answered.
const edgeConfig = `
daemon off;
master_process off;
pid %[1]s/nginx.pid;
error_log %[1]s/error.log warn;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path %[1]s/body;
  proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi;
  scgi_temp_path %[1]s/scgi;

%[2]s
  server {
    listen %[3]s;
    add_header X-Upstream $upstream_addr always;
%[4]s
  }
}
`

// edge is an nginx in front of replicas.
type edge struct {
	url string
}

// newEdge starts an nginx that ends with the test.
func newEdge(tb testing.TB, replicas []string) *edge {
	tb.Helper()
	path := needtest.Program(tb, "nginx", "Debian: apt-get install nginx")
	dir, address := tb.TempDir(), porttest.Free(tb)
	doc, err := os.ReadFile("../../docs/replicas.md")
	if err != nil {
		tb.Fatal(err)
	}
	_, block, _ := strings.Cut(string(doc), "```nginx\n")
	block, _, found := strings.Cut(block, "```")
	outer, inner, parts := strings.Cut(block, "server {\n")
	if !found || !parts {
		tb.Fatal("docs/replicas.md has no nginx configuration")
	}
	inner = inner[:strings.LastIndexByte(inner, '}')]
	var servers strings.Builder
	for _, r := range replicas {
		fmt.Fprintf(&servers, "server %s max_fails=0;\n", r)
	}
	var kept []string
	for line := range strings.Lines(outer) {
		if !strings.HasPrefix(strings.TrimSpace(line), "server ") {
			kept = append(kept, line)
		}
	}
	outer = strings.Replace(strings.Join(kept, ""), "upstream stoa {\n", "upstream stoa {\n"+servers.String(), 1)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, edgeConfig, dir, outer, address, inner), 0o600); err != nil {
		tb.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "stderr.log"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = log.Close()
		if text, _ := os.ReadFile(filepath.Join(dir, "error.log")); tb.Failed() {
			lines := strings.Split(string(text), "\n")
			tb.Logf("the last that nginx wrote:\n%s", strings.Join(lines[max(0, len(lines)-20):], "\n"))
		}
	})
	cmd := exec.Command(path, "-p", dir, "-c", file, "-e", filepath.Join(dir, "error.log"))
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	forked, exited := make(chan error, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread() // Pdeathsig fires when the thread that started the process ends
		err := cmd.Start()
		forked <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(exited)
	}()
	if err := <-forked; err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-exited
	})
	e := &edge{url: "http://" + address}
	for end := time.Now().Add(time.Minute); ; {
		resp, err := http.Get(e.url + "/livez")
		if err == nil {
			_ = resp.Body.Close()
			return e
		}
		if time.Now().After(end) {
			text, _ := os.ReadFile(filepath.Join(dir, "error.log"))
			more, _ := os.ReadFile(log.Name())
			tb.Fatalf("nginx does not answer: %v\n%s%s", err, text, more)
		}
		<-time.After(20 * time.Millisecond)
	}
}
