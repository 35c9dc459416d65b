package platform_test

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"stoa/internal/account"
	"stoa/internal/testkit"
)

// asker is an internal plugin that asks stoa over its own channel for whoever calls it.
const asker = `
module.exports = async (app) => {
  app.get('/api/token', async (request) => request.headers['x-platform-token'])
  app.post('/api/ask', async (request) => {
    const { method, path, headers } = request.body
    const answer = await fetch(request.headers['x-platform-api-base-url'] + '/api/v1/platform/' + path, { method, headers: headers ?? {} })
    return { status: answer.status, text: await answer.text() }
  })
}`

// contained is an internal plugin of a test.
type contained struct {
	*testkit.App
	admin, slug, id string
}

func install(t *testing.T, a *testkit.App, admin, slug, source string, changes map[string]any) contained {
	t.Helper()
	m := testkit.InternalManifest(slug, "index.js")
	for name, value := range changes {
		m[name] = value
	}
	res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, m, map[string]string{"index.js": source}))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	return contained{a, admin, slug, res.Text(t, "data.defaultInstance.installationId")}
}

// call calls the plugin's own path below /api/.
func (c contained) call(t *testing.T, r testkit.Request) testkit.Response {
	t.Helper()
	r.Path = "/api/v1/shop/plugins/" + c.slug + "/api/" + r.Path
	return c.DoUnchecked(t, r)
}

func (c contained) token(t *testing.T) string {
	t.Helper()
	return string(c.call(t, testkit.Get("", "token")).Body)
}

// ask has the plugin ask stoa over its channel.
func (c contained) ask(t *testing.T, method, path string, headers map[string]string) (status int, text string) {
	t.Helper()
	res := c.call(t, testkit.Post("", "ask", map[string]any{"method": method, "path": path, "headers": headers}))
	if res.Status != http.StatusOK {
		t.Fatalf("the plugin answered %d %s", res.Status, res.Body)
	}
	return int(res.Get(t, "status").(float64)), res.Text(t, "text")
}

func bearer(token string) map[string]string {
	return map[string]string{"authorization": "Bearer " + token}
}

// Tokens of contained plugins work over their own channel alone, those of external plugins on the
// public listener alone.
func TestTokensWorkWhereTheyBelong(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	e := a.InstallEcho(t, nil)
	external := tokenOf(t, e, e.ID)
	one := install(t, a, e.Admin.Access, "one", asker, nil)
	two := install(t, a, e.Admin.Access, "two", asker, nil)
	public := func(token string) int {
		t.Helper()
		return a.DoUnchecked(t, testkit.Get(token, "/api/v1/platform/config")).Status
	}
	channel := func(c contained, token string) int {
		t.Helper()
		status, _ := c.ask(t, "GET", "config", bearer(token))
		return status
	}
	for name, tt := range map[string]struct{ got, want int }{
		"its own over its channel":             {channel(one, one.token(t)), 200},
		"another plugin's over its channel":    {channel(one, two.token(t)), 401},
		"an external plugin's over a channel":  {channel(one, external), 401},
		"an external plugin's in public":       {public(external), 200},
		"a contained plugin's in public":       {public(one.token(t)), 401},
		"a user's over a channel":              {channel(one, e.Admin.Access), 401},
		"a changed token over its own channel": {channel(one, one.token(t)+"x"), 401},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %d, want %d", name, tt.got, tt.want)
		}
	}
}

// Replicas of release 0.1.0 go on issuing tokens that name no enabling while they are replaced.
func TestTokensOfTheReleaseBeforeWork(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	e := a.InstallEcho(t, nil)
	old, _, err := a.Accounts.IssuePluginToken(t.Context(), account.PluginToken{InstallationID: e.ID})
	if err != nil {
		t.Fatal(err)
	}
	if res := a.Do(t, testkit.Get(old, "/api/v1/platform/config")); res.Status != http.StatusOK {
		t.Errorf("%d %s", res.Status, res.Body)
	}
}

// A contained process gets a token without a call, for itself.
func TestContainedProcessesAskForATokenOfTheirOwn(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	one, two := install(t, a, admin, "one", asker, nil), install(t, a, admin, "two", asker, nil)
	status, text := one.ask(t, "POST", "token", nil)
	var body struct {
		Data struct{ Token, ExpiresAt string } `json:"data"`
	}
	if err := json.Unmarshal([]byte(text), &body); err != nil || status != http.StatusOK {
		t.Fatalf("on its channel: %d %s, %v", status, text, err)
	}
	if want := a.Clock.Now().UTC().Add(10 * 60e9).Format("2006-01-02T15:04:05.000Z"); body.Data.ExpiresAt != want {
		t.Errorf("expiresAt = %s, want %s", body.Data.ExpiresAt, want)
	}
	for name, tt := range map[string]struct {
		by   contained
		want int
	}{"its own": {one, 200}, "another": {two, 401}} {
		if status, text := tt.by.ask(t, "GET", "config", bearer(body.Data.Token)); status != tt.want {
			t.Errorf("used by %s: %d %s, want %d", name, status, text, tt.want)
		}
	}
	// Nobody else gets one, whatever is sent.
	for name, token := range map[string]string{
		"nobody": "", "an administrator": admin, "a token of the plugin": one.token(t), "a fresh one": body.Data.Token,
	} {
		r := testkit.Post(token, "/api/v1/platform/token", nil)
		r.Header = http.Header{"X-Stoa-Process": {one.id}, "X-Installation-Id": {one.id}}
		if res := a.Do(t, r); res.Status != http.StatusUnauthorized {
			t.Errorf("%s in public: %d %s", name, res.Status, res.Body)
		}
	}
}

// In a process of several instances, only the one that proves itself gets a token.
func TestMembersOfASharedProcessDoNotAskForOneAnother(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	c := install(t, a, admin, "one", asker, nil)
	res := a.Do(t, testkit.Patch(admin, "/api/v1/admin/plugins/one", map[string]any{"isolation": "shared"}))
	if res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	for _, proof := range []string{"", "1", c.id, strings.Repeat("A", 26)} {
		status, text := c.ask(t, "POST", "token", map[string]string{"x-stoa-process": proof, "x-installation-id": c.id})
		if status != http.StatusUnauthorized {
			t.Errorf("with the proof %q: %d %s", proof, status, text)
		}
	}
	if status, text := c.ask(t, "GET", "config", bearer(c.token(t))); status != http.StatusOK {
		t.Errorf("with its own token: %d %s", status, text)
	}
}

// A token dies with the enabling that it was made for, on every replica.
func TestTokensDieWithTheirEnabling(t *testing.T) {
	t.Parallel()
	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		e := a.InstallEcho(t, nil)
		admin := e.Admin.Access
		instance := "/api/v1/admin/plugins/echo/instances/" + e.ID
		uses := func(when, token string, want int) {
			t.Helper()
			for name, app := range map[string]*testkit.App{"here": a, "there": b} {
				if res := app.DoUnchecked(t, testkit.Get(token, "/api/v1/platform/config")); res.Status != want {
					t.Errorf("%s, %s: %d, want %d", when, name, res.Status, want)
				}
			}
		}
		does := func(on *testkit.App, r testkit.Request) {
			t.Helper()
			if res := on.DoUnchecked(t, r); res.Status != http.StatusOK {
				t.Fatalf("%s %s: %d %s", r.Method, r.Path, res.Status, res.Body)
			}
		}
		old := tokenOf(t, e, e.ID)
		uses("at first", old, 200)
		does(a, testkit.Patch(admin, instance, map[string]any{"config": map[string]any{"x": 1}}))
		uses("after a change of its config", old, 200)
		does(b, testkit.Patch(admin, instance, map[string]any{"enabled": false}))
		uses("disabled", old, 401)
		does(a, testkit.Patch(admin, instance, map[string]any{"enabled": true}))
		uses("enabled again", old, 401)
		next := tokenOf(t, e, e.ID)
		uses("the next one", next, 200)

		does(b, testkit.Delete(admin, "/api/v1/admin/plugins/echo"))
		uses("uninstalled", next, 401)
		does(a, testkit.Post(admin, "/api/v1/admin/plugins/echo/restore", nil))
		does(a, testkit.Patch(admin, instance, map[string]any{"enabled": true}))
		uses("restored", next, 401)
		uses("restored, of the first enabling", old, 401)
		uses("the newest", tokenOf(t, e, e.ID), 200)
	})
}

// However replicas race to disable and enable an instance, none of the tokens that it got on the way works
// once it was disabled after that.
func TestNoTokenSurvivesRacesOfEnabling(t *testing.T) {
	t.Parallel()
	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		e := a.InstallEcho(t, nil)
		instance := "/api/v1/admin/plugins/echo/instances/" + e.ID
		both := []*testkit.App{a, b}
		var racing sync.WaitGroup
		for i := range 4 {
			racing.Go(func() {
				for n := range 10 {
					r := testkit.Patch(e.Admin.Access, instance, map[string]any{"enabled": (i+n)%2 == 0})
					both[(i+n/2)%2].DoUnchecked(t, r) // 409 to some
					both[n%2].DoUnchecked(t, testkit.Get("", testkit.EchoPath+"/api/x"))
				}
			})
		}
		racing.Wait()
		change(t, e, e.ID, map[string]any{"enabled": true})
		tokens := map[string]bool{tokenOf(t, e, e.ID): true}
		for r := e.Reached(); r != nil; r = e.Reached() {
			tokens[r.Header.Get("X-Platform-Token")] = true
		}
		change(t, e, e.ID, map[string]any{"enabled": false})
		change(t, e, e.ID, map[string]any{"enabled": true})
		for token := range tokens {
			for i, app := range both {
				if res := app.DoUnchecked(t, testkit.Get(token, "/api/v1/platform/config")); res.Status != http.StatusUnauthorized {
					t.Errorf("replica %d: %d %s", i, res.Status, res.Body)
				}
			}
		}
		t.Logf("%d tokens", len(tokens))
	})
}
