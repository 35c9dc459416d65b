package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver stoa uses
	_ "modernc.org/sqlite"             // the driver stoa uses

	"stoa/bench/measure"
)

// shop is a folder and a database for a stoa, which may be started several times.
type shop struct {
	options

	dir      string
	postgres string       // URL with the schema of this shop; empty for SQLite
	remove   func() error // removes that schema
}

// newShop makes an empty shop in dir, with the catalog in the given YAML. On
// PostgreSQL it gets a schema, which is named after the folder.
func newShop(ctx context.Context, o options, dir string, onPostgres bool, catalog string) (*shop, error) {
	s := &shop{options: o, dir: dir}
	if onPostgres {
		s.dir += "_postgres"
	}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		return nil, err
	}
	if onPostgres {
		var err error
		if s.postgres, s.remove, err = measure.Schema(ctx, o.postgres, "bench_"+filepath.Base(s.dir)); err != nil {
			return nil, err
		}
	}
	file := filepath.Join(s.dir, "catalog.yaml")
	if err := os.WriteFile(file, []byte(catalog), 0o600); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"migrate"}, {"catalog", "import", file}} {
		cmd := exec.CommandContext(ctx, o.Stoa, args...) //nolint:gosec // what the command line of the benchmark says
		cmd.Env = append(os.Environ(), s.env()...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("stoa %v: %w (make build makes bin/stoa)\n%s", args, err, out)
		}
	}
	return s, nil
}

// drop removes what newShop made outside of the folder.
func (s *shop) drop() error {
	if s.remove == nil {
		return nil
	}
	return s.remove()
}

// engine is the name of the database.
func (s *shop) engine() string {
	if s.postgres != "" {
		return "PostgreSQL"
	}
	return "SQLite"
}

func (s *shop) env() []string {
	env := []string{"STOA_DATA=" + s.dir}
	if s.postgres != "" {
		env = append(env, "STOA_DATABASE_URL="+s.postgres)
	}
	return env
}

// start starts stoa.
func (s *shop) start(ctx context.Context, args ...string) (*measure.Process, error) {
	return measure.StartStoa(ctx, s.Stoa, s.env(), args...)
}

// open opens the database behind stoa's back, for loading a lot quickly. What is
// written may be lost if the machine stops.
func (s *shop) open() (*sql.DB, error) {
	if s.postgres != "" {
		return sql.Open("pgx", s.postgres)
	}
	db, err := sql.Open("sqlite",
		"file:"+s.dir+"/stoa.db?_pragma=synchronous(OFF)&_pragma=cache_size(-500000)&_pragma=wal_autocheckpoint(20000)")
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}
