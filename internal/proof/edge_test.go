package proof

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/porttest"
	"stoa/internal/testkit/proctest"
)

// edgeConfig is what a test needs beside deploy/nginx/stoa.conf: folders.
const edgeConfig = `
daemon off;
master_process off;
pid %[1]s/nginx.pid;
error_log stderr warn;
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

// edge is a proxy in front of replicas.
type edge struct {
	url string
}

// proxy is a program that can be an edge. command returns how to start it, configured by the shipped
// example but for addresses, files and TLS.
type proxy struct {
	name string
	// environment returns what the example tells operators to set at stoa.
	environment func(tb testing.TB) []string
	command     func(tb testing.TB, path, dir, address string, replicas []string) *exec.Cmd
}

var (
	nginx = proxy{"nginx", func(testing.TB) []string { return nil }, nginxCommand}
	caddy = proxy{"caddy", caddyEnvironment, caddyCommand}
)

// caddyEnvironment reads the setting in the comment of deploy/caddy/Caddyfile.
func caddyEnvironment(tb testing.TB) []string {
	tb.Helper()
	setting := regexp.MustCompile(`STOA_STOP_DELAY=\d+s`).FindString(shippedCaddyfile(tb))
	if setting == "" {
		tb.Fatal("deploy/caddy/Caddyfile no longer says which STOA_STOP_DELAY it needs")
	}
	return []string{setting}
}

func shippedCaddyfile(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile("../../deploy/caddy/Caddyfile")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func nginxCommand(tb testing.TB, path, dir, address string, replicas []string) *exec.Cmd {
	tb.Helper()
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, edgeConfig, dir, edgeSite(tb, address, replicas)), 0o600); err != nil {
		tb.Fatal(err)
	}
	return exec.Command(path, "-p", dir, "-c", file, "-e", "stderr")
}

// caddyCommand runs deploy/caddy/Caddyfile for these replicas, without TLS, and telling who answered.
// Each client of the test has an address of its own.
func caddyCommand(tb testing.TB, path, dir, address string, replicas []string) *exec.Cmd {
	tb.Helper()
	const upstream = "{http.reverse_proxy.upstream.hostport}"
	site := shippedCaddyfile(tb)
	for _, change := range [][2]string{
		{"shop.example.com {\n", "{\n\tadmin off\n\tauto_https off\n}\nhttp://" + address + " {\n" +
			"\thandle_errors {\n\t\theader X-Upstream " + upstream + "\n\t\trespond {http.error.status_code}\n\t}\n"},
		{"reverse_proxy 127.0.0.1:8080 {\n", "reverse_proxy " + strings.Join(replicas, " ") + " {\n" +
			"\t\theader_up X-Forwarded-For {http.request.header.X-Forwarded-For}\n\t\theader_down X-Upstream " + upstream + "\n"},
	} {
		if strings.Count(site, change[0]) != 1 {
			tb.Fatalf("deploy/caddy/Caddyfile has changed: the test does not find %q", change[0])
		}
		site = strings.Replace(site, change[0], change[1], 1)
	}
	file := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(file, []byte(site), 0o600); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(path, "run", "--config", file, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	return cmd
}

// newEdge starts a proxy that ends with the test.
func newEdge(tb testing.TB, program proxy, replicas []string) *edge {
	tb.Helper()
	path := needtest.Program(tb, program.name, "Debian: apt-get install "+program.name)
	dir, address := tb.TempDir(), porttest.Free(tb)
	cmd := program.command(tb, path, dir, address, replicas)
	log, err := os.Create(filepath.Join(dir, "stderr.log"))
	if err != nil {
		tb.Fatal(err)
	}
	written := func() string {
		text, _ := os.ReadFile(log.Name())
		lines := strings.Split(string(text), "\n")
		return strings.Join(lines[max(0, len(lines)-20):], "\n")
	}
	tb.Cleanup(func() {
		_ = log.Close()
		if tb.Failed() {
			tb.Logf("the last that %s wrote:\n%s", program.name, written())
		}
	})
	cmd.Stderr = log
	exited, err := proctest.Start(cmd, nil)
	if err != nil {
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
		select {
		case <-exited:
			tb.Fatalf("%s has ended:\n%s", program.name, written())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			tb.Fatalf("%s does not answer: %v\n%s", program.name, err, written())
		}
	}
}
