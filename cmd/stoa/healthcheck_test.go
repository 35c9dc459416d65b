package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealthcheckSucceedsOnlyWhileStoaIsReady(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name    string
		status  int
		code    int
		out     string
		errPart string
	}{
		{name: "ready", status: http.StatusOK, code: exitOK, out: "ready\n"},
		{name: "not ready", status: http.StatusServiceUnavailable, code: exitFailed, errPart: "503"},
		{name: "something else", status: http.StatusFound, code: exitFailed, errPart: "302"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/readyz" {
					t.Errorf("asked for %s", r.URL.Path)
				}
				w.WriteHeader(tt.status)
			}))
			defer srv.Close()
			var out, errOut bytes.Buffer
			addr := strings.Replace(srv.Listener.Addr().String(), "127.0.0.1", "0.0.0.0", 1)
			code := run(t.Context(), []string{"healthcheck", "--addr", addr}, nil, &out, &errOut)
			if code != tt.code || out.String() != tt.out || !strings.Contains(errOut.String(), tt.errPart) {
				t.Errorf("exit code %d, %q, %q", code, &out, &errOut)
			}
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()

		var out, errOut bytes.Buffer
		if code := run(t.Context(), []string{"healthcheck", "--addr", "127.0.0.1:1"}, nil, &out, &errOut); code != exitFailed {
			t.Errorf("exit code %d, %q", code, &out)
		}
	})
}

func TestHealthcheckDialsLoopbackForAllAddresses(t *testing.T) {
	t.Parallel()

	for addr, want := range map[string]string{
		":8080": "127.0.0.1:8080", "0.0.0.0:80": "127.0.0.1:80", "[::]:80": "[::1]:80", "10.0.0.7:80": "10.0.0.7:80",
		"localhost:80": "localhost:80",
	} {
		if got, err := dialable(addr); got != want || err != nil {
			t.Errorf("dialable(%q) = %q, %v, want %q", addr, got, err, want)
		}
	}
}
