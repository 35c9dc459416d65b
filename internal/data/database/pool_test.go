package database_test

import (
	"errors"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"stoa/internal/data/database"
	"stoa/internal/testkit/pgtest"
)

func TestTheURLBoundsTheConnections(t *testing.T) {
	t.Parallel()

	at := pgtest.URL(t)
	for given, want := range map[string]int{"": 20, "4": 4, "20": 20, "2147483647": 1<<31 - 1, "or 7": 7, "9 or 7": 9} {
		url, or, _ := strings.Cut(given, "or ")
		conns, _ := strconv.Atoi(or)
		db, err := database.OpenWith(withBound(t, at, strings.TrimSpace(url)), conns)
		if err != nil {
			t.Fatalf("%q: %v", given, err)
		}
		if got := db.Pools()["main"].Stats().MaxOpenConnections; got != want {
			t.Errorf("%q: %d connections, want %d", given, got, want)
		}
		// The server refuses parameters that it does not know.
		if err := db.Pools()["main"].PingContext(t.Context()); err != nil {
			t.Errorf("%q: %v", given, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, given := range []string{"3", "0", "-4", "2147483648", "many", "4.5"} {
		_, err := database.Open(withBound(t, at, given))
		if !errors.Is(err, database.ErrURL) || !strings.Contains(err.Error(), "pool_max_conns must be a number from 4 to 2147483647") {
			t.Errorf("%q: %v", given, err)
		}
	}
}

func TestSQLiteReadsWithAsManyConnectionsAsGiven(t *testing.T) {
	t.Parallel()

	for given, want := range map[int]int{0: max(4, runtime.NumCPU()), 2: 2} {
		db, err := database.OpenWith(filepath.Join(t.TempDir(), "stoa.db"), given)
		if err != nil {
			t.Fatal(err)
		}
		read := db.Pools()["read"].Stats().MaxOpenConnections
		if write := db.Pools()["write"].Stats().MaxOpenConnections; read != want || write != 1 {
			t.Errorf("%d: %d connections read and %d write, want %d and 1", given, read, write, want)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func withBound(t *testing.T, at, bound string) string {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("pool_max_conns", bound)
	if bound == "" {
		q.Del("pool_max_conns")
	}
	u.RawQuery = q.Encode()
	return u.String()
}
