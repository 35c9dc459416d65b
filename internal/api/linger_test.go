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
)

// A client that sends all of its body before it reads gets the answer of an early refusal.
func TestARefusalReachesAClientThatIsStillSending(t *testing.T) { //nolint:tparallel // one row at a time
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	const size = 60 << 20
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
			host := strings.TrimPrefix(a.URL, "http://")
			conn, err := (&net.Dialer{Timeout: time.Minute}).DialContext(t.Context(), "tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			kind := "application/zip"
			if strings.HasPrefix(row.path, "/auth/") {
				kind = "application/json"
			}
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n", row.path, host,
				kind, size)
			if row.token != "" {
				fmt.Fprintf(conn, "Authorization: Bearer %s\r\n", row.token)
			}
			fmt.Fprint(conn, "\r\n")
			block := make([]byte, 1<<20)
			for sent := 0; sent < size; sent += len(block) {
				if _, err := conn.Write(block); err != nil {
					t.Fatalf("after %d bytes: %v", sent, err)
				}
			}
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != row.want || res.ContentLength <= 0 {
				t.Errorf("answer = %d with %d bytes, want %d", res.StatusCode, res.ContentLength, row.want)
			}
		})
	}
}
