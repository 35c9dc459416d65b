package gateway

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/base/cache"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/traffic"
	"stoa/internal/trust/signing"
)

const (
	// maxConfigHeader is the longest value of x-plugin-config in bytes
	// (contract 5.6): Node.js refuses headers of more than 16 KiB together.
	maxConfigHeader = 8 << 10
	// maxDerived bounds what a Memory derives for installations, in bytes, roughly.
	maxDerived = 64 << 20
	// maxTokens is how many installations' tokens a Memory caches: issuing one takes as
	// long as all the rest of a call.
	maxTokens = 128 << 10
	// maxSigners is how many packages' signers a Memory caches.
	maxSigners = 16 << 10
	// maxTexts is how many results a Memory caches for each kind of text from clients and
	// plugins: header names, Content-Types, Accept-Language lines.
	maxTexts = 512
)

// Memory caches what a Gateway derives for installations, so that it need not be derived for
// every call, and limits concurrent calls for installations with a maxConcurrency. NewMemory
// makes one. It is safe for concurrent use.
type Memory struct {
	derived *cache.Sized[string, *derived]       // by installation id
	tokens  *cache.Cache[string, *issuedToken]   // by installation id
	signers *cache.Cache[string, *packageSigner] // by slug
	turns   turns

	deriving sync.Mutex // held while deriving, so that each state is derived once

	// Traffic counts the calls that have ended.
	Traffic *traffic.Book

	passed  *cache.Memo[bool]      // whether a client's header is passed on, by name
	locales *cache.Memo[preferred] // by Accept-Language
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	return &Memory{
		Traffic: traffic.NewBook(),

		derived: cache.NewSized[string, *derived](maxDerived),
		tokens:  cache.New[string, *issuedToken](maxTokens),
		signers: cache.New[string, *packageSigner](maxSigners),
		passed:  cache.NewMemo(maxTexts, isPassed),
		locales: cache.NewMemo(maxTexts, func(line string) preferred { return prefer([]string{line}) }),
	}
}

// derived holds everything computed from one state of an instance and its package.
type derived struct {
	revision    plugin.Revision
	permissions []string // the effective ones
	joined      string   // the same, for the header
	config      configHeader
	cookieTag   string
	breaker     *breaker
	traffic     *traffic.Installation

	// Copies of the Memory's entries for the installation and its package, which save the
	// look-ups. With thousands of installations, each look-up misses the processor's caches.
	token  atomic.Pointer[issuedToken]
	signer atomic.Pointer[packageSigner]
}

// configHeader is the header with the plugin's config, or with the digest of a config that is
// too long for a header.
type configHeader struct{ name, lower, value string }

// derive returns what is derived from the state of in. Each state is derived once.
func (g *Gateway) derive(in *plugin.Installed) (*derived, error) {
	if in.Notes == nil {
		return g.deriveAnew(in)
	}
	if d, ok := in.Notes.Load().(*derived); ok {
		return d, nil
	}
	d, err := g.deriveAnew(in)
	if err == nil {
		in.Notes.Store(d)
	}
	return d, err
}

// deriveAnew is derive without in.Notes, which start empty after any change to any instance.
func (g *Gateway) deriveAnew(in *plugin.Installed) (*derived, error) {
	revision := in.Revision()
	g.Memory.deriving.Lock()
	defer g.Memory.deriving.Unlock()
	if d, ok := g.Memory.derived.Get(in.Instance.ID); ok && d.revision == revision {
		return d, nil
	}
	d, err := deriveAlone(in)
	if err != nil {
		return nil, err
	}
	d.traffic = g.Memory.Traffic.Installation(in.Package.Manifest.Slug, in.Instance.ID)
	id := in.Instance.ID // the closures must not hold in, which d outlives
	keep := func() { g.Memory.derived.Put(id, d, 512+3*len(d.joined)+len(d.config.value)) }
	d.breaker = g.newBreaker(in, func() {
		if _, ok := g.Memory.derived.Get(id); !ok { // else the entry is d, or that of a newer state
			keep()
		}
	})
	keep()
	return d, nil
}

// deriveAlone is derive for a delivery: a hook may get a state that the instance never has, so it must not replace the
// one that calls use. It has no breaker and counts no traffic.
func deriveAlone(in *plugin.Installed) (*derived, error) {
	config, err := configOf(in.Instance)
	if err != nil {
		return nil, err
	}
	permissions := in.Permissions()
	return &derived{
		revision: in.Revision(), permissions: permissions, joined: strings.Join(permissions, ","), config: config,
		cookieTag: cookieTag(in.Instance.ID),
	}, nil
}

// newBreaker returns the breaker for one state of an instance: each change starts with a closed
// breaker, so an administrator sees at once whether it helped. The breaker calls opens when it
// opens: the Memory may have evicted the instance, because calls that find in.Notes do not look
// there.
func (g *Gateway) newBreaker(in *plugin.Installed, opens func()) *breaker {
	log := g.Log.With(slog.String("slug", in.Package.Manifest.Slug), slog.String("installationId", in.Instance.ID))
	return newBreaker(func(open bool) {
		if open {
			opens()
			log.Warn("circuit breaker opened: half of the plugin's calls failed",
				slog.Duration("retryIn", breakerPause))
		} else {
			log.Info("circuit breaker closed: the plugin answers again")
		}
	})
}

// OpenSince returns when the breaker of an instance opened; ok is false if it is closed. Each
// process of stoa has breakers of its own, which see only that process's calls.
func (g *Gateway) OpenSince(installationID string) (since time.Time, ok bool) {
	d, found := g.Memory.derived.Get(installationID)
	if !found {
		return time.Time{}, false
	}
	at := d.breaker.opened.Load()
	if at == nil {
		return time.Time{}, false
	}
	return *at, true
}

// configOf returns the header for an instance's config. Without a config it holds {}, so that
// a plugin can always decode it.
func configOf(in plugin.Instance) (configHeader, error) {
	compact, err := CompactConfig(in.Config)
	if err != nil {
		return configHeader{}, fmt.Errorf("gateway: config of installation %s: %w", in.ID, err)
	}
	c := configHeader{"X-Plugin-Config", "x-plugin-config", base64.RawURLEncoding.EncodeToString(compact)}
	if len(c.value) > maxConfigHeader {
		c = configHeader{"X-Plugin-Config-Digest", "x-plugin-config-digest", ConfigDigest(compact)}
	}
	return c, nil
}

// packageSigner signs with the secrets of one package.
type packageSigner struct {
	secrets []string
	*signing.Signer
}

// signer returns the signer for a package with these secrets. d belongs to one of its
// installations.
func (g *Gateway) signer(d *derived, slug string, secrets []string) *signing.Signer {
	if s := d.signer.Load(); s != nil && slices.Equal(s.secrets, secrets) {
		return s.Signer
	}
	s, ok := g.Memory.signers.Get(slug)
	if !ok || !slices.Equal(s.secrets, secrets) {
		s = &packageSigner{secrets, signing.NewSigner(secrets)}
		g.Memory.signers.Put(slug, s)
	}
	d.signer.Store(s)
	return s.Signer
}

// CompactConfig returns a config as plugins get it: compact JSON, or {} for none.
func CompactConfig(config json.RawMessage) (json.RawMessage, error) {
	if len(config) == 0 {
		return json.RawMessage(`{}`), nil
	}
	var buf bytes.Buffer
	if err := json.Compact(&buf, config); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// ConfigDigest returns the x-plugin-config-digest of a compact config: its SHA-256
// in hex.
func ConfigDigest(compact []byte) string {
	sum := sha256.Sum256(compact)
	return hex.EncodeToString(sum[:])
}

// issuedToken is a platform token, the enabling of its installation, the id of the key that signed
// it, and the time until which the gateway hands it out.
type issuedToken struct {
	token, key string
	enabling   int64
	until      time.Time
}

// token returns a platform token for an installation. The gateway hands out the same token for
// half its life, so a plugin can use it for the other half at least. It issues a new one
// earlier if the signing key has changed (the old key may have been withdrawn, and its tokens
// with it) or the installation was enabled again.
func (g *Gateway) token(ctx context.Context, d *derived, in *plugin.Installed) (string, error) {
	now := g.Now()
	key, err := g.Tokens.PluginTokenKey(ctx) // before issuing: the key may change in between
	if err != nil {
		return "", err
	}
	id, enabling := in.Instance.ID, in.Instance.Enabling
	good := func(t *issuedToken) bool {
		return t != nil && t.key == key && t.enabling == enabling && now.Before(t.until)
	}
	if t := d.token.Load(); good(t) {
		return t.token, nil
	}
	if t, _ := g.Memory.tokens.Get(id); good(t) { // issued for another state of the instance
		d.token.Store(t)
		return t.token, nil
	}
	token, expires, err := g.Tokens.IssuePluginToken(ctx, PluginToken{
		InstallationID: id, Enabling: enabling, OnChannel: g.onChannel(in),
	})
	if err != nil {
		return "", err
	}
	t := &issuedToken{token, key, enabling, now.Add(expires.Sub(now) / 2)}
	g.Memory.tokens.Put(id, t)
	d.token.Store(t)
	return token, nil
}

// tokenFor returns a platform token for a call by staff who act as a user, which names both. Like every token,
// it works for one installation only. It is not cached, because the next call may be on behalf of somebody else.
func (g *Gateway) tokenFor(ctx context.Context, in *plugin.Installed, who reqctx.Caller) (string, error) {
	token, _, err := g.Tokens.IssuePluginToken(ctx, PluginToken{
		InstallationID: in.Instance.ID, Enabling: in.Instance.Enabling, OnChannel: g.onChannel(in),
		UserID: who.UserID, Actor: who.Impersonator,
	})
	return token, err
}

// onChannel reports whether the plugin of in calls the platform over a channel of its own.
func (g *Gateway) onChannel(in *plugin.Installed) bool {
	return in.Package.Manifest.RuntimeType == plugin.Internal && g.HasChannel != nil && g.HasChannel()
}
