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
	"slices"
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

	before *servers // another build of stoa, alone; nil without one
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
	if err := s.startStoa(ctx, o); err != nil || o.before == "" {
		return s, err
	}
	s.before = &servers{dir: filepath.Join(dir, "before"), upstream: s.upstream}
	o.stoa = o.before
	return s, s.before.startStoa(ctx, o)
}

// stop ends what was started.
func (s *servers) stop() error {
	var all []error
	if s.before != nil && s.before.stoa != nil {
		all = append(all, s.before.stoa.Stop())
	}
	for _, p := range []*measure.Process{s.stoa, s.proxy, s.upstream} {
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

// startStoa starts a stoa that has both plugins.
func (s *servers) startStoa(ctx context.Context, o options) error {
	env := []string{
		"STOA_DATA=" + s.dir + "/stoa", "STOA_EXTERNAL_ALLOW=127.0.0.0/8",
		"STOA_ADMIN_PASSWORD=" + password, "STOA_ACCESS_LOG=" + o.accessLog,
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
	var err error
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
	return s.multiply(ctx)
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
func (s *servers) multiply(ctx context.Context) (err error) {
	db, err := sql.Open("sqlite", "file:"+s.dir+"/stoa/stoa.db?_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
		INSERT INTO plugin_instances (id, package_slug, instance_key, enabled, config_sealed, granted, version,
			created_at_ms, updated_at_ms)
		SELECT printf('00000000-0000-4000-8000-%012d', i), package_slug, 'k' || i, 1, '', granted, 1,
			created_at_ms, updated_at_ms
		FROM plugin_instances, n WHERE package_slug = $2 AND instance_key = 'default'`, manyInstances, external)
	return err
}

// works returns what is measured, with those of the peers whose names are in only, or all.
func (s *servers) works(only string) []*work {
	const route = "/api/v1/shop/plugins/" + external
	base := "http://" + s.stoa.Addr + "/api/v1/shop/plugins/"
	all := func(path, script string) []*side {
		sides := []*side{{name: "stoa", url: base + external + path, script: script, pid: s.stoa.PID()}}
		if s.before != nil {
			sides = append(sides, &side{
				name: "stoa before", url: "http://" + s.before.stoa.Addr + route + path, script: script, pid: s.before.stoa.PID(),
			})
		}
		for _, peer := range []*side{
			{name: "ReverseProxy", url: "http://" + s.proxy.Addr + path, script: script, pid: s.proxy.PID()},
			{name: "Caddy", url: "http://" + s.caddyAddr + path, script: script, pid: s.caddy.Process.Pid},
			{name: "nginx", url: "http://" + s.nginxAddr + path, script: script, pid: s.nginx.Process.Pid},
		} {
			if only == "" || slices.Contains(strings.Split(only, ","), peer.name) {
				sides = append(sides, peer)
			}
		}
		return sides
	}
	post := func(size int) string {
		return fmt.Sprintf(`wrk.method = "POST"; wrk.body = string.rep("b", %d)`, size)
	}
	// The load generator is a part of the machine's work. It makes as many different requests
	// for one installation as for all, because Lua keeps each text once.
	turns := func(n int) *side {
		return &side{
			name: fmt.Sprintf("%d installations in turn", n), url: base + external + "/api/small", pid: s.stoa.PID(),
			script: fmt.Sprintf(`local i = 0; local path = "/api/v1/shop/plugins/%s/api/small?n="
				request = function()
					i = i %% %d + 1
					return wrk.format("GET", path .. i .. "&installation=k" .. (i %% %d + 1))
				end`, external, manyInstances, n),
		}
	}
	return []*work{
		{name: "GET, 100 bytes, external", sides: all("/api/small", ""), load: loadHTTP},
		{name: "GET, 100 bytes, 1 connection, external", connections: 1, sides: all("/api/small", ""), load: loadHTTP},
		{name: "GET, 100 bytes, 2000 connections, external", connections: 2000, sides: all("/api/small", ""), load: loadHTTP},
		{name: "POST, 1 KiB, external", sides: all("/api/small", post(1024)), load: loadHTTP},
		{name: "GET, 10 MiB, external", sides: all("/api/large", ""), load: loadHTTP},
		{name: "POST, 10 MiB, external", sides: all("/api/small", post(large)), load: loadHTTP},
		{name: "WebSocket echo, 100 bytes, external", sides: all("/api/socket", ""), load: loadSocket},
		{name: "signed in, external", load: loadHTTP, sides: []*side{
			{
				name: "signed in", url: base + external + "/api/small", pid: s.stoa.PID(),
				script: fmt.Sprintf(`wrk.headers["Authorization"] = "Bearer %s"`, s.token),
			},
			{name: "guest", url: base + external + "/api/small", pid: s.stoa.PID()},
		}},
		{
			name: "installations in turn, external", sides: []*side{turns(manyInstances), turns(1000), turns(1)}, load: loadHTTP,
		},
		{name: "GET, 100 bytes, internal", load: loadHTTP, sides: []*side{
			{name: "stoa", url: base + internal + "/api/small", pid: s.stoa.PID()},
			{name: "Fastify alone", url: "http://" + s.fastifyAddr + "/api/small", pid: s.fastify.Process.Pid},
		}},
	}
}
