package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"stoa/internal/caller"
	"stoa/internal/errs"
	"stoa/internal/plugin"
	"stoa/internal/reqid"
	"stoa/internal/runtime"
	"stoa/internal/signing"
)

// maxContext is how many context headers there may be.
const maxContext = 20

// signedHeaders are context headers in the order of the signature, that of their names,
// which are in lower case. They are pooled: what is signed is not used any longer.
type signedHeaders struct {
	list [maxContext]signing.Header
	n    int
}

var signedPool = sync.Pool{New: func() any { return new(signedHeaders) }}

func (s *signedHeaders) release() {
	*s = signedHeaders{} // a token must not stay in memory
	signedPool.Put(s)
}

// platformContext sets the context headers of one call.
type platformContext struct {
	signed *signedHeaders
	values []string    // one allocation for the values of all headers
	header http.Header // of the request
}

// set adds a header. Calls come in the order of lower, which is name in lower case.
func (p *platformContext) set(name, lower, value string) {
	p.signed.list[p.signed.n] = signing.Header{Name: lower, Value: value}
	p.signed.n++
	p.values = append(p.values, value)
	n := len(p.values)
	p.header[name] = p.values[n-1 : n : n]
}

// setContext sets the context headers of spec B and CONTRACT 5 and returns them for sign.
func (g *Gateway) setContext(
	ctx context.Context, r *http.Request, in plugin.Installed, d *derived, who caller.Caller, c Call,
) (*signedHeaders, error) {
	token, err := g.token(ctx, in.Instance.ID)
	if err != nil {
		return nil, fmt.Errorf("gateway: platform token: %w", err)
	}
	locale := g.locale(r.Header)
	p := platformContext{
		signed: signedPool.Get().(*signedHeaders), values: make([]string, 0, maxContext), header: r.Header,
	}
	p.set("X-Caller", "x-caller", callerName(who, c.Caller))
	if c.Forwarded.For != "" {
		p.set("X-Forwarded-For", "x-forwarded-for", c.Forwarded.For)
	}
	if c.Forwarded.Host != "" {
		p.set("X-Forwarded-Host", "x-forwarded-host", c.Forwarded.Host)
	}
	if c.Forwarded.Proto != "" {
		p.set("X-Forwarded-Proto", "x-forwarded-proto", c.Forwarded.Proto)
	}
	if c.hookID != "" {
		p.set("X-Hook-Attempt", "x-hook-attempt", strconv.Itoa(c.hookAttempt))
		p.set("X-Hook-Id", "x-hook-id", c.hookID)
	}
	p.set("X-Installation-Id", "x-installation-id", in.Instance.ID)
	p.set("X-Installation-Key", "x-installation-key", in.Instance.Key)
	p.set("X-Locale", "x-locale", locale)
	p.set("X-Platform-Api-Base-Url", "x-platform-api-base-url", g.Platform.APIBaseURL)
	p.set("X-Platform-Id", "x-platform-id", g.Platform.ID)
	p.set("X-Platform-Token", "x-platform-token", token)
	p.set("X-Platform-Version", "x-platform-version", g.Platform.Version)
	p.set(d.config.name, d.config.lower, d.config.value)
	p.set("X-Plugin-Permissions", "x-plugin-permissions", d.joined)
	p.set("X-Plugin-Slug", "x-plugin-slug", in.Package.Manifest.Slug)
	p.set("X-Request-Id", "x-request-id", reqid.From(ctx))
	p.set("X-Tenant-Id", "x-tenant-id", in.Instance.ID)
	p.set("X-User-Id", "x-user-id", who.UserID)
	p.set("X-User-Role", "x-user-role", role(who))
	return p.signed, nil
}

// sign sets the timestamp and the signature. signed are all headers with a name of the
// platform's: passedOn leaves none of the client's. sign releases them.
func (g *Gateway) sign(
	ctx context.Context, r *http.Request, m plugin.Manifest, signed *signedHeaders, bodyHash string,
) error {
	secrets, err := g.Secrets.SigningSecrets(ctx, m.Slug)
	switch {
	case errs.KindOf(err) == errs.NotFound: // uninstalled a moment ago
		signed.release()
		return because(ErrNotFound, reasonUninstalled)
	case err != nil:
		signed.release()
		return fmt.Errorf("gateway: signing secrets of %s: %w", m.Slug, err)
	}
	return g.signWith(g.signer(m.Slug, secrets), r, m, signed, bodyHash)
}

// signWith is sign with what signs.
func (g *Gateway) signWith(
	signer *signing.Signer, r *http.Request, m plugin.Manifest, signed *signedHeaders, bodyHash string,
) error {
	defer signed.release()
	target, err := runtime.Target(m, r.URL.RequestURI())
	if err != nil {
		return runtime.ErrUnreachable.Because(err)
	}
	msg := signing.Message{
		Timestamp: g.Now().UnixMilli(), Method: r.Method, Target: target, Body: bodyHash,
		Headers: signed.list[:signed.n],
	}
	values := []string{strconv.FormatInt(msg.Timestamp, 10), signer.Sign(msg)}
	r.Header[signing.TimestampHeader] = values[0:1:1]
	r.Header[signing.SignatureHeader] = values[1:2:2]
	return nil
}
