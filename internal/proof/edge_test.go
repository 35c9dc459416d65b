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

// edgeConfig is what a test needs beside deploy/nginx/stoa.conf: folders.
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
}
`

// edgeSite returns deploy/nginx/stoa.conf for these replicas, without TLS, and telling who
// answered.
func edgeSite(tb testing.TB, address string, replicas []string) string {
	tb.Helper()
	shipped, err := os.ReadFile("../../deploy/nginx/stoa.conf")
	if err != nil {
		tb.Fatal(err)
	}
	var servers, site strings.Builder
	for _, r := range replicas {
		fmt.Fprintf(&servers, "    server %s max_fails=0;\n", r)
	}
	changed := 0
	for line := range strings.Lines(string(shipped)) {
		switch words := strings.Fields(line); {
		case line == "    listen 80;\n":
			line, changed = "    listen "+porttest.Free(tb)+";\n", changed+1
		case line == "    listen [::]:80;\n", strings.HasPrefix(line, "    listen [::]:443 "), strings.HasPrefix(line, "    ssl_"):
			line = ""
		case strings.HasPrefix(line, "    listen 443 "):
			line, changed = "    listen "+address+";\n    add_header X-Upstream $upstream_addr always;\n", changed+1
		case strings.HasPrefix(line, "    proxy_set_header X-Forwarded-For "):
			// Each client of the test has an address of its own.
			line, changed = "    proxy_set_header X-Forwarded-For $http_x_forwarded_for;\n", changed+1
		case len(words) == 3 && words[0] == "server" && words[2] == "max_fails=0;":
			line, changed = servers.String(), changed+1
		}
		site.WriteString(line)
	}
	if changed != 4 {
		tb.Fatal("deploy/nginx/stoa.conf has changed: the test no longer finds its addresses")
	}
	return site.String()
}

// edge is an nginx in front of replicas.
type edge struct {
	url string
}

// newEdge starts an nginx that ends with the test.
func newEdge(tb testing.TB, replicas []string) *edge {
	tb.Helper()
	path := needtest.Program(tb, "nginx", "Debian: apt-get install nginx")
	dir, address := tb.TempDir(), porttest.Free(tb)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, edgeConfig, dir, edgeSite(tb, address, replicas)), 0o600); err != nil {
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
