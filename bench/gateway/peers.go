package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"stoa/bench/measure"
)

const (
	small = 100      // bytes of an answer
	large = 10 << 20 // of the largest
)

var listening = regexp.MustCompile(`listening on (\S+)`)

// self starts this program as one of the servers.
func self(ctx context.Context, what string) (*measure.Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return measure.Start(ctx, listening, []string{"GOGC=400"}, program, "-serve", what)
}

// serveUpstream is the plugin: a service that does nothing but answer.
func serveUpstream(ctx context.Context) error {
	text, much := []byte(strings.Repeat("x", small)), make([]byte, large)
	return serve(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/socket") {
			serveSocket(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		answer := text
		if strings.HasSuffix(r.URL.Path, "/large") {
			answer = much
		}
		w.Header()["Content-Type"] = []string{"text/plain"}
		w.Header()["Content-Length"] = []string{strconv.Itoa(len(answer))}
		_, _ = w.Write(answer)
	}))
}

// serveProxy is what a Go program gets for nothing.
func serveProxy(ctx context.Context, target string) error {
	base, err := url.Parse(target)
	if err != nil {
		return err
	}
	return serve(ctx, &httputil.ReverseProxy{
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 256, DisableCompression: true, ReadBufferSize: 16 << 10, WriteBufferSize: 16 << 10,
		},
		Rewrite:  func(p *httputil.ProxyRequest) { p.SetURL(base) },
		ErrorLog: log.New(io.Discard, "", 0), // connections that the load generator breaks off
	})
}

func serve(ctx context.Context, h http.Handler) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	both := new(http.Protocols)
	both.SetHTTP1(true)
	both.SetUnencryptedHTTP2(true)
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, Protocols: both}
	fmt.Fprintln(os.Stderr, "listening on", ln.Addr())
	go func() { <-ctx.Done(); _ = srv.Close() }()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// freeAddr returns an address on loopback for a program that has to be told one.
func freeAddr(ctx context.Context) (string, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return ln.Addr().String(), ln.Close()
}

// peer starts a program and waits until it answers at addr.
func peer(ctx context.Context, addr, name string, args ...string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // our own words
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "XDG_DATA_HOME=/nonexistent")
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr); err == nil {
			return cmd, conn.Close()
		}
		if time.Now().After(end) {
			return cmd, fmt.Errorf("%s did not start", name)
		}
	}
}

const nginxConf = `daemon off; worker_processes 2; worker_rlimit_nofile 20000; pid %[1]s/nginx.pid;
error_log %[1]s/nginx.log;
events { worker_connections 4096; }
http {
  access_log off; client_max_body_size 20m; client_body_temp_path %[1]s; proxy_temp_path %[1]s;
  fastcgi_temp_path %[1]s; uwsgi_temp_path %[1]s; scgi_temp_path %[1]s;
  upstream plugin { server %[3]s; keepalive 256; keepalive_requests 1000000; }
  server {
    listen %[2]s backlog=4096; keepalive_requests 1000000;
    location /api/socket { proxy_pass http://plugin; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection "upgrade"; }
    location / { proxy_pass http://plugin; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffers 16 64k; proxy_buffer_size 64k; proxy_max_temp_file_size 0; proxy_request_buffering off; }
  }
}
`

func startNginx(ctx context.Context, dir, upstream string) (cmd *exec.Cmd, addr string, err error) {
	if addr, err = freeAddr(ctx); err != nil {
		return nil, "", err
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, nginxConf, dir, addr, upstream), 0o600); err != nil {
		return nil, "", err
	}
	cmd, err = peer(ctx, addr, "nginx", "-p", dir, "-c", file, "-e", filepath.Join(dir, "nginx.log"))
	return cmd, addr, err
}

const caddyConf = `{"admin": {"disabled": true, "config": {"persist": false}},
"logging": {"logs": {"default": {"level": "ERROR"}}},
"apps": {"http": {"servers": {"bench": {"listen": [%q], "automatic_https": {"disable": true}, "routes": [{"handle": [{
  "handler": "reverse_proxy", "upstreams": [{"dial": %q}], "flush_interval": 0,
  "transport": {"protocol": "http", "compression": false, "keep_alive": {"max_idle_conns_per_host": 256},
    "read_buffer_size": 16384, "write_buffer_size": 16384}}]}]}}}}}`

func startCaddy(ctx context.Context, dir, upstream string) (cmd *exec.Cmd, addr string, err error) {
	if addr, err = freeAddr(ctx); err != nil {
		return nil, "", err
	}
	file := filepath.Join(dir, "caddy.json")
	if err := os.WriteFile(file, fmt.Appendf(nil, caddyConf, addr, upstream), 0o600); err != nil {
		return nil, "", err
	}
	cmd, err = peer(ctx, addr, "caddy", "run", "--config", file)
	return cmd, addr, err
}
