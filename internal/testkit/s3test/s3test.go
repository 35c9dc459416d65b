// Package s3test gives tests a real S3 server: a temporary versitygw, behind a proxy that can
// be made to fail.
package s3test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/data/blob/s3"
	"stoa/internal/testkit/needtest"
)

// The credentials of every server.
const (
	AccessKey = "stoa-test"
	SecretKey = "stoa-test-secret"
)

// Server is the S3 server of one test.
type Server struct {
	// Addr is where it listens: host and port.
	Addr string

	dir    string
	socket string

	mu    sync.Mutex
	down  bool
	stall chan struct{} // closed when it no longer stalls; nil if it does not
	conns map[net.Conn]bool
}

// New starts a server that ends with the test. If versitygw is not installed, the test is
// skipped, or fails in CI.
func New(tb testing.TB) *Server {
	tb.Helper()
	path := find()
	if path == "" {
		needtest.Lacks(tb, "versitygw is not installed (scripts/test-deps installs it)")
	}
	dir, err := os.MkdirTemp("", "stoa-s3-") //nolint:usetesting // short: a socket's path has 107 bytes
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{dir: dir, socket: filepath.Join(dir, "sock"), conns: make(map[net.Conn]bool)}
	for _, sub := range []string{"buckets", "meta"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	cmd := exec.CommandContext(context.WithoutCancel(tb.Context()), path, "--port", s.socket, "--quiet",
		"--access", AccessKey, "--secret", SecretKey, "--keep-alive",
		"posix", "--sidecar", filepath.Join(dir, "meta"), filepath.Join(dir, "buckets"))
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s.Addr = listener.Addr().String()
	go s.serve(listener)
	tb.Cleanup(func() {
		_ = listener.Close()
		s.Down(true)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	})
	s.await(tb)
	return s
}

// await returns when the server answers.
func (s *Server) await(tb testing.TB) {
	tb.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		r, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, "http://"+s.Addr+"/", nil)
		if err != nil {
			tb.Fatal(err)
		}
		res, err := transport.RoundTrip(r)
		if err == nil {
			_ = res.Body.Close()
			return
		}
		if time.Now().After(end) {
			tb.Fatalf("s3test: server does not answer: %v", err)
		}
	}
}

// URL returns the URL of a prefix in a bucket, which it creates. Unless options say so, the server has two minutes for
// each answer, because the machine may be busy.
func (s *Server) URL(tb testing.TB, bucket, prefix, options string) string {
	tb.Helper()
	if err := os.MkdirAll(s.path(bucket, ""), 0o700); err != nil {
		tb.Fatal(err)
	}
	if !strings.Contains(options, "&timeout=") {
		options += "&timeout=2m"
	}
	return s3.Scheme + bucket + "/" + prefix + "?path-style=on&endpoint=http://" + s.Addr + options
}

// Open returns the storage at a prefix of a bucket, which it creates. options are more
// parameters of the URL, like "&timeout=1s".
func (s *Server) Open(tb testing.TB, bucket, prefix, options string) *s3.Store {
	tb.Helper()
	store, err := s3.Open(s.URL(tb, bucket, prefix, options), Getenv)
	if err != nil {
		tb.Fatal(err)
	}
	return store
}

// Getenv returns the variables with the credentials of every server.
func Getenv(name string) string {
	return map[string]string{"AWS_ACCESS_KEY_ID": AccessKey, "AWS_SECRET_ACCESS_KEY": SecretKey}[name]
}

// Environment is Getenv for the environment of a process.
func Environment() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + AccessKey, "AWS_SECRET_ACCESS_KEY=" + SecretKey}
}

// path returns where the server keeps an object.
func (s *Server) path(bucket, key string) string {
	return filepath.Join(s.dir, "buckets", bucket, filepath.FromSlash(key))
}

// Alter replaces the content of an object behind the server's back.
func (s *Server) Alter(tb testing.TB, bucket, key string, content []byte) {
	tb.Helper()
	if _, err := os.Stat(s.path(bucket, key)); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(s.path(bucket, key), content, 0o600); err != nil {
		tb.Fatal(err)
	}
}

// Age makes an object look as if it was stored before.
func (s *Server) Age(tb testing.TB, bucket, key string, by time.Duration) {
	tb.Helper()
	at := time.Now().Add(-by)
	if err := os.Chtimes(s.path(bucket, key), at, at); err != nil {
		tb.Fatal(err)
	}
}

// Down makes the server refuse all connections and breaks those there are, or ends that.
func (s *Server) Down(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
	if down {
		for c := range s.conns {
			_ = c.Close()
		}
	}
}

// Stall makes the server take connections and never answer, or ends that.
func (s *Server) Stall(stall bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case stall && s.stall == nil:
		s.stall = make(chan struct{})
	case !stall && s.stall != nil:
		close(s.stall)
		s.stall = nil
	}
}

// serve passes connections on to the server.
func (s *Server) serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go s.relay(conn)
	}
}

// relay passes a connection on.
func (s *Server) relay(conn net.Conn) {
	defer conn.Close()
	back, err := (&net.Dialer{}).Dial("unix", s.socket)
	if err != nil {
		return
	}
	defer back.Close()
	s.mu.Lock()
	if s.down {
		s.mu.Unlock()
		return
	}
	s.conns[conn] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
	}()
	go func() {
		_, _ = io.Copy(back, conn)
		_ = back.Close()
	}()
	_, _ = io.Copy(conn, patient{back, s})
}

// patient is a connection whose answers wait while the server stalls.
type patient struct {
	net.Conn

	server *Server
}

// Read implements io.Reader.
func (p patient) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.server.mu.Lock()
	stall := p.server.stall
	p.server.mu.Unlock()
	if stall != nil {
		<-stall
	}
	return n, err
}

// find returns the path of versitygw, from PATH or the folder of go install, or "".
func find() string {
	if path, err := exec.LookPath("versitygw"); err == nil {
		return path
	}
	for _, dir := range []string{
		os.Getenv("GOBIN"), filepath.Join(os.Getenv("GOPATH"), "bin"), filepath.Join(os.Getenv("HOME"), "go", "bin"),
	} {
		path := filepath.Join(dir, "versitygw")
		if info, err := os.Stat(path); err == nil && !info.IsDir() && filepath.IsAbs(path) {
			return path
		}
	}
	return ""
}

// Count returns how many objects a bucket has below a prefix.
func (s *Server) Count(tb testing.TB, bucket, prefix string) (n int) {
	tb.Helper()
	err := filepath.WalkDir(s.path(bucket, prefix), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			n++
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// Find returns the key of the only object below a prefix that ends in suffix, without the first
// folder of the prefix.
func (s *Server) Find(tb testing.TB, bucket, prefix, suffix string) string {
	tb.Helper()
	var found []string
	root := s.path(bucket, "")
	err := filepath.WalkDir(s.path(bucket, prefix), func(name string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, suffix) {
			_, key, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(name, root)), "/"), "/")
			found = append(found, key)
		}
		return err
	})
	if err != nil || len(found) != 1 {
		tb.Fatalf("s3test: objects below %s: %q, %v, want one", prefix, found, err)
	}
	return found[0]
}
