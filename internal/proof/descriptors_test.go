package proof

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/waittest"
)

// A process without a free file descriptor refuses what needs one on the connections that it has, and
// needs no restart once there are some again.
func TestAProcessWithoutDescriptorsSaysThatItIsBusy(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it starts a process")

	c := newCluster(t, sqlite, 1)
	p := c.processes[0]
	one := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: time.Minute} // keeps its connection
	defer one.CloseIdleConnections()
	admin := c.people(t).admin
	install := func(version string) (*http.Response, []byte) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			p.URL()+"/api/v1/admin/extensions/plugin/install", bytes.NewReader(manyFiles(version)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/zip")
		req.Header.Set("Authorization", "Bearer "+admin)
		res, err := one.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, text
	}
	if res, text := install("1.0.0"); res.StatusCode != http.StatusCreated {
		t.Fatalf("install: %d %s", res.StatusCode, text)
	}

	var before, none unix.Rlimit
	pid := p.cmd.Process.Pid
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &before); err != nil {
		t.Fatal(err)
	}
	none = before
	none.Cur = 3 // fewer than it has open
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &none, nil); err != nil {
		t.Fatal(err)
	}
	res, text := install("1.1.0")
	if res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), `"BUSY"`) ||
		res.Header.Get("Retry-After") == "" {
		t.Errorf("without descriptors: %d %s", res.StatusCode, text)
	}
	// The log comes through a pipe, which is read after the answer.
	waittest.True(t, "the log says so", func() bool { return strings.Contains(p.lastLines(), "no file descriptor is left") })
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &before, nil); err != nil {
		t.Fatal(err)
	}
	if res, text := install("1.1.0"); res.StatusCode != http.StatusOK && res.StatusCode != http.StatusCreated {
		t.Errorf("with descriptors again: %d %s", res.StatusCode, text)
	}
}
