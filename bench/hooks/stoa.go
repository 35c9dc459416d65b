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
	"sync/atomic"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver stoa uses
	_ "modernc.org/sqlite"             // the driver stoa uses

	"stoa/bench/measure"
)

const (
	email    = "bench@example.com"
	password = "correct horse battery"

	plain, hooked = "plain", "hooked" // plugins without and with hooks
	installations = 100               // of the plugin with hooks, beside the default one
)

// bench is a stoa with two plugins, and their service.
type bench struct {
	stoa  *measure.Process
	db    *sql.DB
	token string

	service *http.Server
	addr    string       // of the service
	told    atomic.Int64 // deliveries that arrived
}

// start starts everything. What was started before an error is in the result.
func start(ctx context.Context, o options, data, database, driver, dsn string) (b *bench, err error) {
	b = &bench{}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return b, err
	}
	b.addr = ln.Addr().String()
	b.service = &http.Server{Handler: b, ReadHeaderTimeout: time.Minute}
	go func() { _ = b.service.Serve(ln) }() // until it is closed
	env := []string{
		"STOA_DATA=" + data, "STOA_DATABASE_URL=" + database, "STOA_EXTERNAL_ALLOW=127.0.0.0/8",
		"STOA_ADMIN_EMAIL=" + email, "STOA_ADMIN_PASSWORD=" + password,
	}
	if b.stoa, err = measure.StartStoa(ctx, o.stoa, env, "--ops-addr="+o.ops); err != nil {
		return b, err
	}
	if b.db, err = sql.Open(driver, dsn); err != nil {
		return b, err
	}
	var session struct {
		Data struct {
			Access string `json:"access_token"`
		}
	}
	err = b.call(ctx, http.MethodPost, "/auth/login", map[string]string{"email": email, "password": password}, &session)
	if err != nil {
		return b, err
	}
	b.token = session.Data.Access
	for slug, hooks := range map[string]map[string]bool{plain: nil, hooked: {"onEnable": true, "onDisable": true}} {
		if err := b.install(ctx, slug, hooks); err != nil {
			return b, fmt.Errorf("install %s: %w", slug, err)
		}
	}
	return b, nil
}

// stop ends what was started.
func (b *bench) stop() error {
	var all []error
	if b.db != nil {
		all = append(all, b.db.Close())
	}
	if b.stoa != nil {
		all = append(all, b.stoa.Stop())
	}
	return errors.Join(append(all, b.service.Close())...)
}

// ServeHTTP is the service of the plugins, and the address of the webhook.
func (b *bench) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.Header.Get("X-Hook-Id") != "" || r.Header.Get("Webhook-Id") != "" {
		b.told.Add(1)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	_, _ = io.WriteString(w, "ok")
}

func (b *bench) install(ctx context.Context, slug string, hooks map[string]bool) error {
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 1, "slug": slug, "name": slug, "version": "1.0.0",
		"runtimeType": "external-http", "externalBaseUrl": "http://" + b.addr, "lifecycle": hooks,
	})
	if err != nil {
		return err
	}
	archive, err := measure.Pack(map[string]string{"manifest.json": string(manifest)})
	if err != nil {
		return err
	}
	return b.send(ctx, http.MethodPost, "/api/v1/admin/extensions/plugin/install", "application/zip", archive, nil)
}

// call sends JSON and reads what it needs of the answer.
func (b *bench) call(ctx context.Context, method, path string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return b.send(ctx, method, path, "application/json", text, answer)
}

func (b *bench) send(ctx context.Context, method, path, media string, body []byte, answer any) error {
	text, err := measure.Send(ctx, http.DefaultClient, method, "http://"+b.stoa.Addr+path, b.token, media, body)
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// instances returns the path of the instances of a plugin.
func instances(slug string) string { return "/api/v1/admin/plugins/" + slug + "/instances" }

// defaultOf returns the path of the default instance of a plugin.
func (b *bench) defaultOf(ctx context.Context, slug string) (string, error) {
	var id string
	err := b.db.QueryRowContext(ctx, `
		SELECT id FROM plugin_instances WHERE package_slug = $1 AND instance_key = 'default'`, slug).Scan(&id)
	return instances(slug) + "/" + id, err
}

const webhooks = "/api/v1/admin/webhooks"

// webhook creates a webhook for what happens to instances and returns its id.
func (b *bench) webhook(ctx context.Context, enabled bool) (id string, err error) {
	var made struct{ Data struct{ ID string } }
	err = b.call(ctx, http.MethodPost, webhooks, map[string]any{
		"url": "http://" + b.addr + "/", "events": []string{"instance.*"}, "enabled": enabled,
	}, &made)
	return made.Data.ID, err
}

// quiet waits until nothing is to be delivered.
func (b *bench) quiet(ctx context.Context) error {
	for {
		var n int
		err := b.db.QueryRowContext(ctx, `
			SELECT (SELECT count(*) FROM deliveries WHERE state = 'waiting')
				+ (SELECT count(*) FROM events WHERE NOT spread)`).Scan(&n)
		if err != nil || n == 0 {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
