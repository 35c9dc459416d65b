package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver stoa uses
	_ "modernc.org/sqlite"             // the driver stoa uses

	"stoa/bench/measure"
)

const (
	email    = "bench@example.com"
	password = "correct horse battery"
	schema   = "bench_day"

	outside, inside = "outside", "inside" // slugs of the plugins
)

const catalog = `
currency: EUR
products:
  - slug: app
    name: App
    category: apps
    shortDescription: An app.
    description: An app.
    icon: https://cdn.example.com/app.svg
    pricingTiers:
      - {id: pro, name: Pro, price: 49, billingPeriod: yearly, maxInstances: 3, features: [reports, export, support]}
`

// shop is a shop of several replicas over one database and one folder, with a plugin that
// is a service of this program and one that stoa runs.
type shop struct {
	replicas []*measure.Process
	db       *sql.DB
	postgres string       // the URL without the schema; empty for SQLite
	drop     func() error // removes the schema; nil on SQLite

	service *http.Server
	client  *http.Client
	next    atomic.Uint64 // which replica gets the next request
	admin   string        // an access token

	people *people
}

// open starts a shop. What was started before an error is in the result.
func open(ctx context.Context, o options, dir string, replicas int) (s *shop, err error) {
	s = &shop{
		postgres: o.postgres,
		client:   &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: maxInFlight}, Timeout: time.Minute},
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return s, err
	}
	s.service = &http.Server{Handler: http.HandlerFunc(answer), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.service.Serve(ln) }() // until it is closed
	if err := os.Mkdir(dir, 0o700); err != nil {
		return s, err
	}
	at, err := s.openDatabase(ctx, dir)
	if err != nil {
		return s, err
	}
	env := []string{
		"STOA_DATA=" + dir, "STOA_DATABASE_URL=" + at, "STOA_EXTERNAL_ALLOW=127.0.0.0/8",
		"STOA_ADMIN_EMAIL=" + email, "STOA_ADMIN_PASSWORD=" + password,
	}
	file := filepath.Join(dir, "catalog.yaml")
	if err := os.WriteFile(file, []byte(catalog), 0o600); err != nil {
		return s, err
	}
	for _, args := range [][]string{{"migrate"}, {"catalog", "import", file}} {
		cmd := exec.CommandContext(ctx, o.stoa, args...) //nolint:gosec // what the command line of the benchmark says
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return s, fmt.Errorf("stoa %v: %w (make build makes bin/stoa)\n%s", args, err, out)
		}
	}
	for range replicas {
		p, err := measure.StartStoa(ctx, o.stoa, env, "--ops-addr=off")
		if err != nil {
			return s, err
		}
		s.replicas = append(s.replicas, p)
	}
	err = s.fill(ctx, ln.Addr().String())
	return s, err
}

// openDatabase makes the database and returns its address for stoa.
func (s *shop) openDatabase(ctx context.Context, dir string) (at string, err error) {
	if s.postgres == "" {
		at = filepath.Join(dir, "stoa.db")
		s.db, err = sql.Open("sqlite", "file:"+at+"?_pragma=busy_timeout(10000)")
		return at, err
	}
	if at, s.drop, err = measure.Schema(ctx, s.postgres, schema); err != nil {
		return "", err
	}
	s.db, err = sql.Open("pgx", at)
	return at, err
}

// fill installs the plugins and makes the people.
func (s *shop) fill(ctx context.Context, service string) error {
	var session struct {
		Data struct {
			Access string `json:"access_token"`
		}
	}
	if err := s.json(ctx, "/auth/login", map[string]any{"email": email, "password": password}, &session); err != nil {
		return err
	}
	s.admin = session.Data.Access
	for slug, files := range map[string]map[string]string{
		outside: {"manifest.json": manifest(outside, "external-http", "externalBaseUrl", "http://"+service)},
		inside: {
			"manifest.json": manifest(inside, "internal-fastify", "entryModule", "index.js"),
			"index.js":      "module.exports = async app => { app.get('/api/x', async () => 'ok') }",
		},
	} {
		archive, err := measure.Pack(files)
		if err != nil {
			return err
		}
		_, err = s.send(ctx, http.MethodPost, "/api/v1/admin/extensions/plugin/install", s.admin, "application/zip", archive)
		if err != nil {
			return fmt.Errorf("install %s: %w", slug, err)
		}
	}
	var err error
	s.people, err = s.invite(ctx)
	return err
}

// close ends what was started.
func (s *shop) close() error {
	var all []error
	for _, p := range s.replicas {
		all = append(all, p.Stop())
	}
	if s.db != nil {
		all = append(all, s.db.Close())
	}
	if s.drop != nil {
		all = append(all, s.drop())
	}
	if s.service != nil {
		all = append(all, s.service.Close())
	}
	return errors.Join(all...)
}

// answer is the service of the external plugin.
func answer(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	_, _ = io.WriteString(w, "ok")
}

func manifest(slug, runtime, more, value string) string {
	text, err := json.Marshal(map[string]any{
		"schemaVersion": 1, "slug": slug, "name": slug, "version": "1.0.0", "runtimeType": runtime, more: value,
	})
	if err != nil {
		panic(err) // nothing in it can fail
	}
	return string(text)
}

// json sends JSON and reads what it needs of the answer.
func (s *shop) json(ctx context.Context, path string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	got, err := s.send(ctx, http.MethodPost, path, "", "application/json", text)
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(got, answer)
}

func (s *shop) get(ctx context.Context, path, token string) error {
	_, err := s.send(ctx, http.MethodGet, path, token, "", nil)
	return err
}

// send sends a request to the replica whose turn it is.
func (s *shop) send(ctx context.Context, method, path, token, media string, body []byte) ([]byte, error) {
	to := s.replicas[s.next.Add(1)%uint64(len(s.replicas))]
	return measure.Send(ctx, s.client, method, "http://"+to.Addr+path, token, media, body)
}
