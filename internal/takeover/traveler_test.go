package takeover_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/idptest"
)

const (
	completeFlow = "/auth/oidc/complete"
	proveFlow    = "/auth/oidc/email-proof"
)

// elsewhere is an identity provider that a stoa knows as op.
type elsewhere struct {
	*idptest.Provider

	w    *world
	form map[string]any
}

// provider starts an identity provider and tells a stoa of it. change, unless nil, changes what stoa is told.
func (w *world) provider(t *testing.T, slug string, change func(form map[string]any)) *elsewhere {
	t.Helper()
	p := idptest.Start(t)
	p.Now = w.Clock.Now
	o := &elsewhere{Provider: p, w: w, form: map[string]any{
		"kind": "oidc", "name": "Example", "issuer": p.URL, "clientId": idptest.ClientID, "clientSecret": idptest.Secret,
		"enabled": true, "signUp": true, "verifiesAddresses": true,
	}}
	o.put(t, slug, change)
	return o
}

// put tells the stoa what it is to know of the provider.
func (o *elsewhere) put(t *testing.T, slug string, change func(form map[string]any)) {
	t.Helper()
	if change != nil {
		change(o.form)
	}
	if o.w.admin.Access == "" {
		o.w.admin = o.w.Admin(t, "boss")
	}
	res := o.w.Do(t, testkit.Request{
		Method: http.MethodPut, Path: "/api/v1/admin/identity-providers/" + slug, Token: o.w.admin.Access, Body: o.form,
	})
	if res.Status != http.StatusOK {
		t.Fatalf("PUT = %d %s", res.Status, res.Body)
	}
}

// traveler is a browser with stoa's pages open: it has their origin, and keeps cookies.
type traveler struct {
	w      *world
	bearer string
	flow   string
}

func (b *traveler) post(t *testing.T, path string, body any) testkit.Response {
	t.Helper()
	var cookies []string
	if b.flow != "" {
		cookies = append(cookies, flowName+"="+b.flow)
	}
	req := b.w.fromPage(path, body, cookies...)
	req.Token = b.bearer
	res := b.w.Do(t, req)
	b.keep(res)
	return res
}

func (b *traveler) keep(res testkit.Response) {
	for _, c := range (&http.Response{Header: res.Header}).Cookies() {
		if c.Name == flowName {
			b.flow = c.Value
		}
	}
}

// leave begins a way to a provider, and returns the address there.
func (b *traveler) leave(t *testing.T, slug, mode string) string {
	t.Helper()
	res := b.post(t, "/auth/oidc/"+slug+"/start", map[string]string{"mode": mode, "returnTo": "/licenses"})
	if res.Status != http.StatusOK {
		t.Fatalf("start = %d %s", res.Status, res.Body)
	}
	return res.Text(t, "data.url")
}

// arrive follows an address that a provider sent the browser back to, and returns where stoa sends it.
func (b *traveler) arrive(t *testing.T, back *url.URL) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.w.URL+back.RequestURI(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if b.flow != "" {
		r.Header.Set("Cookie", flowName+"="+b.flow)
	}
	res, err := b.w.Client.Transport.RoundTrip(r) // which follows no redirect
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusSeeOther || res.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("callback = %s, %v", res.Status, res.Header)
	}
	return res.Header.Get("Location")
}

// visit goes to a provider and back.
func (b *traveler) visit(t *testing.T, o *elsewhere, slug, mode string) {
	t.Helper()
	if to := b.arrive(t, o.Arrive(t, b.leave(t, slug, mode))); to != "/sign-in/continue?to=%2Flicenses" {
		t.Fatalf("sent to %s", to)
	}
}

// through goes to a provider and back, and completes.
func (b *traveler) through(t *testing.T, o *elsewhere, slug, mode string, form any) testkit.Response {
	t.Helper()
	b.visit(t, o, slug, mode)
	return b.post(t, completeFlow, form)
}

// nobody is the form of somebody who says nothing.
var nobody = map[string]any{}

// person is somebody at a provider with a verified address.
func person(sub, email string) idptest.Claims {
	return idptest.Claims{"sub": sub, "email": email, "email_verified": true}
}

// settled is proven, a minute ago: the mailbox may have another mail that strangers can cause.
func (w *world) settled(t *testing.T, email, username string) testkit.Tokens {
	t.Helper()
	owner := w.proven(t, email, username)
	w.Clock.Advance(time.Minute)
	return owner
}

// code returns the last code that was mailed to an address, or "".
func (w *world) code(t *testing.T, to string) (code string) {
	t.Helper()
	for _, m := range w.read(t) {
		if found := codeRE.FindString(m.Text); m.To == to && found != "" {
			code = found
		}
	}
	return code
}

// honest has somebody without an account come from a provider, and makes one.
func (b *traveler) honest(t *testing.T, o *elsewhere, sub, email, username string) testkit.Tokens {
	t.Helper()
	o.Change(func() { o.Person = person(sub, email) })
	testkit.WantError(t, b.through(t, o, "op", "sign-in", nobody), http.StatusBadRequest, "USERNAME_REQUIRED")
	return testkit.TokensOf(t, b.post(t, completeFlow, map[string]string{"username": username}), http.StatusOK)
}
