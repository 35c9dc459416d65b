package httpapi_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// A client that sends all of its body before it reads gets the answer of an early refusal.
func TestARefusalReachesAClientThatIsStillSending(t *testing.T) { //nolint:tparallel // one row at a time
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	for name, row := range map[string]struct {
		path, token string
		want        int
	}{
		"without a token": {"/api/v1/admin/extensions/plugin/install", "", http.StatusUnauthorized},
		"no such address": {"/api/v1/admin/nothing", admin, http.StatusNotFound},
		"too large":       {"/api/v1/admin/extensions/plugin/install", admin, http.StatusRequestEntityTooLarge},
		"large JSON":      {"/auth/login", "", http.StatusRequestEntityTooLarge},
		"no theme app":    {"/theme-app/shop/none/", "", http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // stoa reads for ten seconds: one row at a time
			// stoa reads for ten seconds only.
			waittest.Until(t, "an answer to a client that sends for less than ten seconds", func() error {
				return sendsAll(t, a, row.path, row.token, row.want)
			})
		})
	}
}

// sendsAll sends a body of 60 MiB, to which the answer is of that status. It returns an error if sending took longer
// than stoa reads.
func sendsAll(t *testing.T, a *testkit.App, path, token string, want int) error {
	t.Helper()
	host := strings.TrimPrefix(a.URL, "http://")
	conn, err := (&net.Dialer{Timeout: time.Minute}).DialContext(t.Context(), "tcp", host)
	if err != nil {
		return err
	}
	defer conn.Close()
	const size = 60 << 20
	kind := "application/zip"
	if strings.HasPrefix(path, "/auth/") {
		kind = "application/json"
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n", path, host, kind, size)
	if token != "" {
		fmt.Fprintf(conn, "Authorization: Bearer %s\r\n", token)
	}
	fmt.Fprint(conn, "\r\n")
	begin := time.Now()
	late := func(err error) error {
		if time.Since(begin) < 10*time.Second {
			t.Fatal(err)
		}
		return err
	}
	block := make([]byte, 1<<20)
	for sent := 0; sent < size; sent += len(block) {
		if _, err := conn.Write(block); err != nil {
			return late(fmt.Errorf("after %d bytes: %w", sent, err))
		}
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return late(err)
	}
	defer res.Body.Close()
	if res.StatusCode != want || res.ContentLength <= 0 {
		t.Fatalf("answer = %d with %d bytes, want %d", res.StatusCode, res.ContentLength, want)
	}
	return nil
}
