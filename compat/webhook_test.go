package compat_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

// The public libraries of Standard Webhooks accept what stoa sends, its time included.
func TestPublicLibrariesAcceptWebhooks(t *testing.T) {
	t.Parallel()

	if _, err := os.Stat("node_modules/standardwebhooks"); err != nil {
		needtest.Lacks(t, "the package standardwebhooks is not installed (npm ci in compat)")
		return
	}
	type message struct {
		Secret  string            `json:"secret"`
		Body    string            `json:"body"`
		Headers map[string]string `json:"headers"`
	}
	got := make(chan *http.Request, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		got <- r
	}))
	defer srv.Close()
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Now = time.Now })
	admin := a.Admin(t, "root").Access
	created := a.Do(t, testkit.Post(admin, "/api/v1/admin/webhooks", map[string]any{
		"url": srv.URL, "events": []string{"user.*"},
	}))
	secret := created.Text(t, "data.secret")
	a.Do(t, testkit.Post(admin, "/api/v1/admin/webhooks/"+created.Text(t, "data.id")+"/test", nil))
	r := <-got
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	hook, err := standard.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := hook.Verify(body, r.Header); err != nil {
		t.Errorf("the library for Go: %v", err)
	}

	m := message{Secret: secret, Body: string(body), Headers: make(map[string]string)}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		m.Headers[name] = r.Header.Get(name)
	}
	const script = `
		const { Webhook } = require('standardwebhooks')
		const { secret, body, headers } = JSON.parse(require('fs').readFileSync(0))
		const hook = new Webhook(secret)
		console.log(hook.verify(body, headers).type)
		try { hook.verify(body + ' ', headers); console.log('accepts another body') } catch {}`
	input, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "-e", script)
	cmd.Stdin = bytes.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "webhook.test\n" {
		t.Errorf("the library for JavaScript: %v\n%s", err, out)
	}
}
