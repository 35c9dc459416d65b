package gateway

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/trust/signing"
)

// maxContext is the largest number of context headers.
const maxContext = 23

// signedHeaders are the context headers in the order in which they are signed: sorted by name,
// in lower case. They are pooled: after signing they are not needed any longer.
type signedHeaders struct {
	list [maxContext]signing.Header
	n    int
}

var signedPool = sync.Pool{New: func() any { return new(signedHeaders) }}

func (s *signedHeaders) release() {
	*s = signedHeaders{} // a token must not stay in memory
	signedPool.Put(s)
}

// setContext sets the context headers (contract 5.5) and keeps them in p.signed for sign.
func (g *Gateway) setContext(
	ctx context.Context, p *passage, in *plugin.Installed, d *derived, who reqctx.Caller, c Call,
) error {
	token, err := c.token, error(nil)
	switch {
	case token != "":
	case who.Impersonator != "":
		token, err = g.tokenFor(ctx, in, who)
	default:
		token, err = g.token(ctx, d, in)
	}
	if err != nil {
		return fmt.Errorf("gateway: platform token: %w", err)
	}
	locale := g.locale(p.header)
	p.signed = signedPool.Get().(*signedHeaders)
	p.putSigned("X-Caller", "x-caller", callerName(who, c.Caller))
	if c.Forwarded.For != "" {
		p.putSigned("X-Forwarded-For", "x-forwarded-for", c.Forwarded.For)
	}
	if c.Forwarded.Host != "" {
		p.putSigned("X-Forwarded-Host", "x-forwarded-host", c.Forwarded.Host)
	}
	if c.Forwarded.Proto != "" {
		p.putSigned("X-Forwarded-Proto", "x-forwarded-proto", c.Forwarded.Proto)
	}
	if c.hookID != "" {
		p.putSigned("X-Hook-Attempt", "x-hook-attempt", strconv.Itoa(c.hookAttempt))
		p.putSigned("X-Hook-Id", "x-hook-id", c.hookID)
	}
	p.putSigned("X-Installation-Id", "x-installation-id", in.Instance.ID)
	p.putSigned("X-Installation-Key", "x-installation-key", in.Instance.Key)
	p.putSigned("X-Locale", "x-locale", locale)
	p.putSigned("X-Platform-Api-Base-Url", "x-platform-api-base-url", g.Platform.APIBaseURL)
	p.putSigned("X-Platform-Id", "x-platform-id", g.Platform.ID)
	p.putSigned("X-Platform-Token", "x-platform-token", token)
	p.putSigned("X-Platform-Version", "x-platform-version", g.Platform.Version)
	p.putSigned(d.config.name, d.config.lower, d.config.value)
	if l := &in.Package.License; l.State != "" {
		p.putSigned("X-Plugin-License", "x-plugin-license", l.HeaderAt(g.Now()))
	}
	p.putSigned("X-Plugin-Permissions", "x-plugin-permissions", d.joined)
	p.putSigned("X-Plugin-Slug", "x-plugin-slug", in.Package.Manifest.Slug)
	p.putSigned("X-Request-Id", "x-request-id", reqctx.RequestID(ctx))
	p.putSigned("X-Tenant-Id", "x-tenant-id", in.Instance.ID)
	p.putSigned("X-User-Id", "x-user-id", who.UserID)
	if who.Impersonator != "" {
		p.putSigned("X-User-Impersonator", "x-user-impersonator", who.Impersonator)
	}
	p.putSigned("X-User-Role", "x-user-role", role(who, c))
	if name := staffRole(who, c.Caller); name != "" {
		p.putSigned("X-User-Staff-Role", "x-user-staff-role", name)
	}
	return nil
}

// sign sets the timestamp and the signature, and releases p.signed. p.signed holds every
// header with a reserved name: passOn copies none of the client's.
func (g *Gateway) sign(
	ctx context.Context, p *passage, d *derived, m *plugin.Manifest, bodyHash string,
) error {
	secrets, err := g.Secrets.SigningSecrets(ctx, m.Slug)
	switch {
	case errs.KindOf(err) == errs.NotFound: // uninstalled a moment ago
		p.signed.release()
		return because(ErrNotFound, reasonUninstalled)
	case err != nil:
		p.signed.release()
		return fmt.Errorf("gateway: signing secrets of %s: %w", m.Slug, err)
	}
	return g.signWith(g.signer(d, m.Slug, secrets), p, m, bodyHash)
}

// signWith is sign with a given signer.
func (g *Gateway) signWith(
	signer *signing.Signer, p *passage, m *plugin.Manifest, bodyHash string,
) error {
	defer p.signed.release()
	target, err := run.Target(m, p.url.RequestURI())
	if err != nil {
		return run.ErrUnreachable.Because(err)
	}
	msg := signing.Message{
		Timestamp: g.Now().UnixMilli(), Method: p.out.Method, Target: target, Body: bodyHash,
		Headers: p.signed.list[:p.signed.n], Ordered: true,
	}
	p.put(signing.TimestampHeader, strconv.FormatInt(msg.Timestamp, 10))
	p.put(signing.SignatureHeader, signer.Sign(msg))
	return nil
}
