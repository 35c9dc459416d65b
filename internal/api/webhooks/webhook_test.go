package webhooks_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"stoa/internal/app"
	"stoa/internal/data/database"
	"stoa/internal/message/delivery"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

const path = "/api/v1/admin/webhooks"

// address is a stoa with an administrator, and an address that takes messages.
type address struct {
	*testkit.App

	admin string
	url   string

	mu     sync.Mutex
	got    []message
	status int
	header http.Header
}

// message is a request that the address got.
type message struct {
	header http.Header
	body   string
}

func newAddress(t *testing.T, a *testkit.App) *address {
	t.Helper()
	k := &address{App: a, admin: a.Admin(t, "root").Access, status: http.StatusNoContent, header: http.Header{}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.got = append(k.got, message{r.Header, string(body)})
		for name, values := range k.header {
			w.Header()[name] = values
		}
		w.WriteHeader(k.status)
	}))
	t.Cleanup(srv.Close)
	k.url = srv.URL + "/hook?key=1"
	return k
}

func (k *address) answer(status int, header ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.status, k.got, k.header = status, nil, http.Header{}
	for i := 0; i < len(header); i += 2 {
		k.header.Set(header[i], header[i+1])
	}
}

func (k *address) messages() []message {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.got)
}

// do makes a request that must succeed.
func (k *address) do(t *testing.T, r testkit.Request) testkit.Response {
	t.Helper()
	res := k.Do(t, r)
	if res.Status >= 300 {
		t.Fatalf("%s %s: %d %s", r.Method, r.Path, res.Status, res.Body)
	}
	return res
}

// create creates a webhook and returns its path and its secret.
func (k *address) create(t *testing.T, events ...string) (at, secret string) {
	t.Helper()
	res := k.do(t, testkit.Post(k.admin, path, map[string]any{"url": k.url, "events": events}))
	return path + "/" + res.Text(t, "data.id"), res.Text(t, "data.secret")
}

// quiet waits until nothing that is due is left.
func (k *address) quiet(t *testing.T) {
	t.Helper()
	waittest.True(t, "nothing to be due", func() bool {
		var n int
		err := k.DB.Conn().Read.QueryRowContext(t.Context(), `
			SELECT (SELECT count(*) FROM events WHERE NOT spread)
				+ (SELECT count(*) FROM delivery_queues WHERE due_ms <= $1 OR lease <> '')`,
			database.Millis(k.Clock.Now())).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n == 0
	})
}

func (k *address) later(t *testing.T, d time.Duration) {
	t.Helper()
	k.Clock.Advance(d)
	k.DB.Conn().Announce(store.NewIn(delivery.Webhooks))
	k.quiet(t)
}

func TestMessagesAreStandardWebhooks(t *testing.T) {
	t.Parallel()

	k := newAddress(t, testkit.New(t))
	at, secret := k.create(t, "user.*")
	id := k.do(t, testkit.Me(k.Register(t, "ada").Access)).Text(t, "data.id")
	k.quiet(t)
	rotated := k.do(t, testkit.Post(k.admin, at+"/secret/rotate", nil))
	if until := rotated.Text(t, "data.previousUntil"); until != "2030-03-02T12:00:00.000Z" {
		t.Errorf("previousUntil = %s, want a day later", until)
	}
	k.do(t, testkit.Post(k.admin, at+"/test", nil))
	k.quiet(t)
	got := k.messages()
	if len(got) != 2 {
		t.Fatalf("%d messages, want two", len(got))
	}
	for secret, m := range map[string]message{secret: got[0], rotated.Text(t, "data.secret"): got[1]} {
		w, err := standard.NewWebhook(secret)
		if err == nil {
			err = w.VerifyIgnoringTimestamp([]byte(m.body), m.header) // the test's clock is not the system's
		}
		if err != nil {
			t.Errorf("the public library refuses %s: %v", m.body, err)
		}
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(got[0].body), &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"id": got[0].header.Get("webhook-id"), "type": "user.registered", "occurredAt": "2030-03-01T12:00:00.000Z",
		"timestamp": "2030-03-01T12:00:00.000Z", "data": map[string]any{"userId": id},
	}
	if diff := cmp.Diff(body, want); diff != "" {
		t.Errorf("body (-got +want):\n%s", diff)
	}
}

func TestWebhooksAreManaged(t *testing.T) {
	t.Parallel()

	k := newAddress(t, testkit.New(t))
	at, secret := k.create(t, "order.paid")
	if !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("secret = %q", secret)
	}
	for _, res := range []testkit.Response{
		k.do(t, testkit.Get(k.admin, path)), k.do(t, testkit.Get(k.admin, at)),
		k.do(t, testkit.Patch(k.admin, at, map[string]any{"events": []string{"license.*"}, "enabled": false})),
	} {
		if strings.Contains(string(res.Body), "secret") || strings.Contains(string(res.Body), secret) {
			t.Errorf("a secret is shown again: %s", res.Body)
		}
	}
	got := k.do(t, testkit.Get(k.admin, at)).Get(t, "data").(map[string]any)
	want := map[string]any{
		"id": strings.TrimPrefix(at, path+"/"), "url": k.url, "events": []any{"license.*"}, "enabled": false,
		"createdAt": "2030-03-01T12:00:00.000Z", "updatedAt": "2030-03-01T12:00:00.000Z",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("webhook (-got +want):\n%s", diff)
	}
	test := k.do(t, testkit.Post(k.admin, at+"/test", nil))
	if test.Status != http.StatusAccepted || test.Text(t, "data.type") != "webhook.test" {
		t.Errorf("test: %d %s", test.Status, test.Body)
	}
	k.quiet(t)
	if len(k.messages()) != 1 {
		t.Error("a disabled webhook cannot be tested")
	}
	k.do(t, testkit.Delete(k.admin, at))
	testkit.WantError(t, k.Do(t, testkit.Get(k.admin, at)), http.StatusNotFound, "NOT_FOUND")
}

// An asterisk alone subscribes to all types, of whatever subject; a manifest may not have it.
func TestAWebhookMayWantAllEvents(t *testing.T) {
	t.Parallel()

	k := newAddress(t, testkit.New(t))
	at, _ := k.create(t, "*")
	if got := k.do(t, testkit.Get(k.admin, at)).Get(t, "data.events"); !cmp.Equal(got, []any{"*"}) {
		t.Errorf("events = %v", got)
	}
	k.Register(t, "ada")
	res := k.Install(t, k.admin, "plugin", testkit.ExternalPlugin(t, "pay", nil))
	if res.Status != http.StatusCreated {
		t.Fatal(string(res.Body))
	}
	k.quiet(t)
	types := make(map[string]bool)
	for _, m := range k.messages() {
		_, after, _ := strings.Cut(m.body, `"type":"`)
		name, _, _ := strings.Cut(after, `"`)
		types[name] = true
	}
	for _, want := range []string{"user.registered", "extension.installed", "instance.enabled"} {
		if !types[want] {
			t.Errorf("told %v, not %s", types, want)
		}
	}
	for _, pattern := range []string{"**", "*.paid", "order*", ".*"} {
		res := k.Do(t, testkit.Post(k.admin, path, map[string]any{"url": k.url, "events": []string{pattern}}))
		testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
	}
	res = k.Install(t, k.admin, "plugin", testkit.ExternalPlugin(t, "spy", map[string]any{
		"permissions": []string{"events:subscribe"},
		"events":      map[string]any{"subscribe": []string{"*"}, "path": "/events"},
	}))
	testkit.WantError(t, res, http.StatusBadRequest, "INVALID_MANIFEST")
}

func TestWebhookRoutesRefuse(t *testing.T) {
	t.Parallel()

	k := newAddress(t, testkit.New(t))
	at, _ := k.create(t, "order.paid")
	user := k.Register(t, "ada").Access
	for name, body := range map[string]map[string]any{
		"no address": {"events": []string{"order.*"}},
		"wrong type": {"url": 1, "events": []string{"order.*"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			testkit.WantError(t, k.Do(t, testkit.Post(k.admin, path, body)), http.StatusBadRequest, "VALIDATION_ERROR")
		})
	}
	const nowhere = path + "/tz4a98xxat96iws9zmbrgj3a"
	for _, r := range []testkit.Request{
		testkit.Get(k.admin, nowhere), testkit.Patch(k.admin, nowhere, map[string]any{}), testkit.Delete(k.admin, nowhere),
		testkit.Post(k.admin, nowhere+"/test", nil), testkit.Post(k.admin, nowhere+"/secret/rotate", nil),
		testkit.Get(k.admin, nowhere+"/deliveries"), testkit.Get(k.admin, path+"/not-an-id"),
		testkit.Post(k.admin, nowhere+"/replay", map[string]any{"since": "2030-01-01T00:00:00Z"}),
		testkit.Post(k.admin, path+"/deliveries/nothing/replay", nil),
	} {
		testkit.WantError(t, k.Do(t, r), http.StatusNotFound, "NOT_FOUND")
	}
	testkit.WantError(t, k.Do(t, testkit.Post(k.admin, at+"/replay", map[string]any{})), http.StatusBadRequest, "VALIDATION_ERROR")
	testkit.WantError(t, k.Do(t, testkit.Get(user, path)), http.StatusForbidden, "FORBIDDEN")
	testkit.WantError(t, k.Do(t, testkit.Get("", path)), http.StatusUnauthorized, "UNAUTHORIZED")
}

func TestFailedMessagesAreRepeatedAndHoldNothingUp(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		k := newAddress(t, a)
		at, _ := k.create(t, "user.*")
		k.answer(http.StatusFound, "Location", "http://127.0.0.1:1/elsewhere") // redirects are not followed
		k.Register(t, "ada")
		k.quiet(t)
		failed := k.messages()
		k.answer(http.StatusOK)
		k.Register(t, "bob")
		k.quiet(t)
		if n := len(k.messages()); n != 1 {
			t.Errorf("%d messages, want bob's: ada's must not hold it up", n)
		}
		k.later(t, 6*time.Second)
		if n := len(k.messages()); n != 2 {
			t.Fatalf("%d messages, want ada's, too", n)
		}
		if a, b := failed[0].header.Get("webhook-id"), k.messages()[1].header.Get("webhook-id"); a != b || a == "" {
			t.Errorf("the ids of two attempts are %q and %q", a, b)
		}
		list := k.do(t, testkit.Get(k.admin, at+"/deliveries?state=delivered"))
		if n := list.Get(t, "data.pagination.total"); n != float64(2) {
			t.Errorf("%v deliveries, want 2: %s", n, list.Body)
		}
	})
}

// Deliveries show what was sent and what came back.
func TestDeliveriesShowMessageAndAnswer(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		k := newAddress(t, a)
		at, _ := k.create(t, "user.*")
		k.answer(http.StatusTeapot, "X-Reason", "caf\xe9", "Set-Cookie", "session=receivers", "Retry-After", "3")
		k.Register(t, "ada")
		k.quiet(t)
		sent := k.messages()
		if len(sent) != 1 {
			t.Fatalf("%d messages, want ada's", len(sent))
		}
		list := k.do(t, testkit.Get(k.admin, at+"/deliveries"))
		d := list.Get(t, "data.items").([]any)[0].(map[string]any)
		var want any
		if err := json.Unmarshal([]byte(sent[0].body), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d["payload"], want); diff != "" {
			t.Errorf("payload (-got +sent):\n%s", diff)
		}
		headers := d["attempts"].([]any)[0].(map[string]any)["headers"].(map[string]any)
		if headers["x-reason"] != "caf\uFFFD" || headers["retry-after"] != "3" || headers["set-cookie"] != nil {
			t.Errorf("headers of the answer = %v", headers)
		}
	})
}

func TestReplaysSendWhatWasDeliveredToo(t *testing.T) {
	t.Parallel()

	k := newAddress(t, testkit.New(t))
	at, _ := k.create(t, "user.*")
	k.Register(t, "ada")
	k.quiet(t)
	first := k.messages()
	k.answer(http.StatusOK)
	body := map[string]any{"since": testkit.T0.Format(time.RFC3339)}
	if n := k.do(t, testkit.Post(k.admin, at+"/replay", body)).Get(t, "data.replayed"); n != 1.0 {
		t.Errorf("%v replayed, want ada's", n)
	}
	k.quiet(t)
	if got := k.messages(); len(got) != 1 || got[0].header.Get("webhook-id") != first[0].header.Get("webhook-id") ||
		got[0].body != first[0].body {
		t.Errorf("replayed %v, want the same message as %v", got, first)
	}
	list := k.do(t, testkit.Get(k.admin, at+"/deliveries?limit=1"))
	id := list.Get(t, "data.items").([]any)[0].(map[string]any)["id"].(string)
	k.answer(http.StatusOK)
	k.do(t, testkit.Post(k.admin, path+"/deliveries/"+id+"/replay", nil))
	k.quiet(t)
	if n := len(k.messages()); n != 1 {
		t.Errorf("%d messages after the replay of one", n)
	}
}

func TestAddressesThatAreGoneAreDisabled(t *testing.T) {
	t.Parallel()

	k := newAddress(t, testkit.New(t))
	at, _ := k.create(t, "user.*")
	k.answer(http.StatusGone)
	k.Register(t, "ada")
	k.quiet(t)
	res := k.do(t, testkit.Get(k.admin, at))
	if res.Get(t, "data.enabled") != false || res.Text(t, "data.disabledReason") != "The address answered 410 Gone." {
		t.Errorf("webhook = %s", res.Body)
	}
	mails := k.Mails(t)
	if len(mails) == 0 {
		t.Fatal("administrators were not told")
	}
	if last := mails[len(mails)-1]; last.To != "root@example.com" || !strings.Contains(last.Subject, "webhook was disabled") {
		t.Errorf("mail = %+v", last)
	}
	res = k.do(t, testkit.Patch(k.admin, at, map[string]any{"enabled": true}))
	if strings.Contains(string(res.Body), "failingSince") || strings.Contains(string(res.Body), "disabledReason") {
		t.Errorf("webhook = %s", res.Body)
	}
}

// Operators name addresses on the internet. Those inside of the network are refused when
// stoa connects, whatever their name resolves to.
func TestAddressesPassTheGuard(t *testing.T) {
	t.Parallel()

	k := newAddress(t, testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.ExternalAllow = nil }))
	at, _ := k.create(t, "user.*")
	k.do(t, testkit.Post(k.admin, at+"/test", nil))
	k.quiet(t)
	if n := len(k.messages()); n != 0 {
		t.Errorf("loopback got %d messages", n)
	}
	list := k.do(t, testkit.Get(k.admin, at+"/deliveries"))
	if !strings.Contains(string(list.Body), "prohibited") {
		t.Errorf("deliveries = %s, want the refusal of the guard", list.Body)
	}
}
