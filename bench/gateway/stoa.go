package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver stoa uses

	"stoa/bench/measure"
)

const (
	email    = "bench@example.com"
	password = "correct horse battery"

	external, internal = "outside", "inside" // slugs of the plugins
	manyInstances      = 10_000              // of the external one
)

// servers is everything that was started.
type servers struct {
	upstream, proxy, stoa *measure.Process
	nginx, caddy, fastify *exec.Cmd

	nginxAddr, caddyAddr, fastifyAddr string
	dir                               string
	token                             string // of a signed-in user

	pair  *measure.Process // a ReverseProxy in front of Fastify
	quiet *servers         // stoa without its access log, alone

	before *servers     // another build of stoa, alone; nil without one
	drop   func() error // what remains in PostgreSQL; nil on SQLite
}

// start starts everything. What was started before an error is in the result.
func start(ctx context.Context, o options, dir string) (s *servers, err error) {
	s = &servers{dir: dir}
	if s.upstream, err = self(ctx, "upstream"); err != nil {
		return s, err
	}
	if s.proxy, err = self(ctx, "proxy=http://"+s.upstream.Addr); err != nil {
		return s, err
	}
	if s.nginx, s.nginxAddr, err = startNginx(ctx, dir, s.upstream.Addr); err != nil {
		return s, err
	}
	if s.caddy, s.caddyAddr, err = startCaddy(ctx, dir, s.upstream.Addr); err != nil {
		return s, err
	}
	if err := s.startFastify(ctx); err != nil {
		return s, err
	}
	if s.pair, err = self(ctx, "proxy=http://"+s.fastifyAddr); err != nil {
		return s, err
	}
	if err := s.startStoa(ctx, o, "bench_gateway", "all"); err != nil {
		return s, err
	}
	s.quiet = &servers{dir: filepath.Join(dir, "quiet"), upstream: s.upstream}
	if err := s.quiet.startStoa(ctx, o, "bench_gateway_quiet", "off"); err != nil || o.before == "" {
		return s, err
	}
	s.before = &servers{dir: filepath.Join(dir, "before"), upstream: s.upstream}
	o.stoa = o.before
	return s, s.before.startStoa(ctx, o, "bench_gateway_before", "all")
}

// stop ends what was started.
func (s *servers) stop() error {
	var all []error
	for _, alone := range []*servers{s.before, s.quiet} {
		if alone != nil {
			alone.upstream = nil // is s's
			all = append(all, alone.stop())
		}
	}
	for _, p := range []*measure.Process{s.stoa, s.pair, s.proxy, s.upstream} {
		if p != nil {
			all = append(all, p.Stop())
		}
	}
	for _, cmd := range []*exec.Cmd{s.nginx, s.caddy, s.fastify} {
		if cmd != nil && cmd.Process != nil {
			_ = cmd.Process.Signal(os.Interrupt)
			_ = cmd.Wait() // says that it was interrupted
		}
	}
	if s.drop != nil {
		all = append(all, s.drop())
	}
	return errors.Join(all...)
}

// route is what the internal plugin and its peer both do.
var route = `app.get('/api/small', async (request, reply) => {
	reply.header('content-type', 'text/plain')
	return '` + strings.Repeat("x", small) + `'
})`

// startFastify starts what an internal plugin is compared with: its route in a Fastify of
// the same version that listens by itself.
func (s *servers) startFastify(ctx context.Context) (err error) {
	if s.fastifyAddr, err = freeAddr(ctx); err != nil {
		return err
	}
	host, port, _ := strings.Cut(s.fastifyAddr, ":")
	fastify, err := filepath.Abs("nodehost/node_modules/fastify")
	if err != nil {
		return err
	}
	program := fmt.Sprintf("const app = require(%q)({ logger: false });\n%s\napp.listen({ host: %q, port: %s })",
		fastify, route, host, port)
	s.fastify, err = peer(ctx, s.fastifyAddr, "node", "-e", program)
	return err
}

// startStoa starts a stoa that has both plugins. schema is for its data where they are in PostgreSQL.
func (s *servers) startStoa(ctx context.Context, o options, schema, accessLog string) (err error) {
	env := []string{
		"STOA_DATA=" + s.dir + "/stoa", "STOA_EXTERNAL_ALLOW=127.0.0.0/8",
		"STOA_ADMIN_PASSWORD=" + password, "STOA_ACCESS_LOG=" + accessLog,
	}
	driver, data := "sqlite", "file:"+s.dir+"/stoa/stoa.db?_pragma=busy_timeout(10000)"
	if o.postgres != "" {
		driver = "pgx"
		if data, s.drop, err = measure.Schema(ctx, o.postgres, schema); err != nil {
			return err
		}
		env = append(env, "STOA_DATABASE_URL="+data)
	}
	create := exec.CommandContext(ctx, o.stoa, "migrate") //nolint:gosec // what the command line of the benchmark says
	create.Env = append(os.Environ(), env...)
	if out, err := create.CombinedOutput(); err != nil {
		return fmt.Errorf("stoa migrate: %w (make build makes bin/stoa)\n%s", err, out)
	}
	admin := exec.CommandContext(ctx, o.stoa, "admin", "create", "--email", email) //nolint:gosec // as above
	admin.Env = append(os.Environ(), env...)
	if out, err := admin.CombinedOutput(); err != nil {
		return fmt.Errorf("stoa admin create: %w\n%s", err, out)
	}
	if s.stoa, err = measure.StartStoa(ctx, o.stoa, env, "--ops-addr="+o.ops); err != nil {
		return err
	}
	token, err := s.signIn(ctx)
	if err != nil {
		return err
	}
	s.token = token
	for slug, files := range map[string]map[string]string{
		external: {"manifest.json": manifest(external, map[string]any{
			"runtimeType": "external-http", "externalBaseUrl": "http://" + s.upstream.Addr,
		})},
		internal: {
			"manifest.json": manifest(internal, map[string]any{"runtimeType": "internal-fastify", "entryModule": "index.js"}),
			"index.js":      "module.exports = async app => {" + route + "}",
		},
	} {
		if err := s.install(ctx, token, files); err != nil {
			return fmt.Errorf("install %s: %w", slug, err)
		}
	}
	return multiply(ctx, driver, data)
}

func manifest(slug string, more map[string]any) string {
	fields := map[string]any{
		"schemaVersion": 1, "slug": slug, "name": slug, "version": "1.0.0", "permissions": []string{"orders:read"},
	}
	for name, value := range more {
		fields[name] = value
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err) // nothing in it can fail
	}
	return string(text)
}

func (s *servers) signIn(ctx context.Context) (string, error) {
	body, err := json.Marshal(map[string]string{"email": email, "password": password})
	if err != nil {
		return "", err
	}
	answer, err := s.post(ctx, "/auth/login", "application/json", "", body)
	if err != nil {
		return "", err
	}
	var tokens struct {
		Data struct {
			Access string `json:"access_token"`
		} `json:"data"`
	}
	err = json.Unmarshal(answer, &tokens)
	return tokens.Data.Access, err
}

func (s *servers) install(ctx context.Context, token string, files map[string]string) error {
	archive, err := measure.Pack(files)
	if err != nil {
		return err
	}
	_, err = s.post(ctx, "/api/v1/admin/extensions/plugin/install", "application/zip", token, archive)
	return err
}

func (s *servers) post(ctx context.Context, path, media, token string, body []byte) ([]byte, error) {
	return measure.Send(ctx, http.DefaultClient, http.MethodPost, "http://"+s.stoa.Addr+path, token, media, body)
}

// multiply gives the external plugin further instances, behind stoa's back: the API
// would take a minute. stoa learns of them as of changes by another process.
func multiply(ctx context.Context, driver, data string) (err error) {
	db, err := sql.Open(driver, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
		INSERT INTO plugin_instances (id, package_slug, instance_key, enabled, config_sealed, granted, version,
			created_at_ms, updated_at_ms)
		SELECT '00000000-0000-4000-8000-' || (100000000000 + i), package_slug, 'k' || i, enabled, '', granted, 1,
			created_at_ms, updated_at_ms
		FROM plugin_instances, n WHERE package_slug = $2 AND instance_key = 'default'`, manyInstances, external)
	return err
}
