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
	// maxTokens is for how many installations a Memory has tokens: making one takes as
	// long as all the rest of a call.
	maxTokens = 128 << 10
	// maxSigners is for how many packages a Memory has keys that are set up.
	maxSigners = 16 << 10
	// maxTexts is how many texts of clients and plugins a Memory has verdicts on, of
	// each kind.
	maxTexts = 512
)

// Memory caches what a Gateway derives for installations, so that it is not derived
// for every call, and counts the calls of those that have a bound. NewMemory makes one.
// It is safe for concurrent use.
type Memory struct {
	derived *cache.Sized[string, *derived]       // by installation id
	tokens  *cache.Cache[string, *issuedToken]   // by installation id
	signers *cache.Cache[string, *packageSigner] // by slug
	turns   turns

	deriving sync.Mutex // held while something is derived, so that there is one of each state

	// Traffic has the counts of the calls that have ended.
	Traffic *traffic.Book

	passed  *cache.Memo[bool]      // whether a header of a client is passed on, by name
	pages   *cache.Memo[bool]      // whether browsers show a Content-Type as a page
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
		pages:   cache.NewMemo(maxTexts, isPage),
		locales: cache.NewMemo(maxTexts, func(line string) preferred { return prefer([]string{line}) }),
	}
}

// derived is what follows from one state of an instance and its package.
type derived struct {
	revision    plugin.Revision
	permissions []string // the effective ones
	joined      string   // the same, for the header
	config      configHeader
	breaker     *breaker
	traffic     *traffic.Installation

	// What the Memory has for the installation and its package, without a look-up. With
	// thousands of installations, each look-up misses the processor's caches.
	token  atomic.Pointer[issuedToken]
	signer atomic.Pointer[packageSigner]
}

// configHeader is the header that tells a plugin its config, or the digest of a
// config that is too long for a header.
type configHeader struct{ name, lower, value string }

// derive returns what follows from the state of in. It is made once for each state.
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

// deriveAnew is derive without the notes of in, which begin empty when anything changes anywhere.
func (g *Gateway) deriveAnew(in *plugin.Installed) (*derived, error) {
	revision := in.Revision()
	g.Memory.deriving.Lock()
	defer g.Memory.deriving.Unlock()
	if d, ok := g.Memory.derived.Get(in.Instance.ID); ok && d.revision == revision {
		return d, nil
	}
	config, err := configOf(in.Instance)
	if err != nil {
		return nil, err
	}
	d := &derived{
		revision: revision, permissions: in.Permissions(), config: config,
		traffic: g.Memory.Traffic.Installation(in.Package.Manifest.Slug, in.Instance.ID),
	}
	d.joined = strings.Join(d.permissions, ",")
	id := in.Instance.ID // and not in, which d outlives
	keep := func() { g.Memory.derived.Put(id, d, 512+3*len(d.joined)+len(config.value)) }
	d.breaker = g.newBreaker(in, func() {
		if _, ok := g.Memory.derived.Get(id); !ok { // else it is d, or of a newer state
			keep()
		}
	})
	keep()
	return d, nil
}

// newBreaker returns the breaker of a state of an instance: after a change, an
// administrator need not wait to see whether it helped. It calls opens when it opens: the
// Memory may have forgotten an instance whose calls did not ask it for long.
func (g *Gateway) newBreaker(in *plugin.Installed, opens func()) *breaker {
	log := g.Log.With(slog.String("slug", in.Package.Manifest.Slug), slog.String("installationId", in.Instance.ID))
	return newBreaker(func(open bool) {
		if open {
			opens()
			log.Warn("plugin is not called for a while: half of its calls failed", slog.Duration("retryIn", breakerPause))
		} else {
			log.Info("plugin is called again: it answers")
		}
	})
}

// OpenSince returns since when an instance is not called because its calls failed; ok is
// false if it is called. Each process of stoa decides by its own calls.
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

// configOf returns the header for an instance's config. Without a config it says {}, so
// that a plugin always has something to decode.
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

// packageSigner signs with secrets of a package.
type packageSigner struct {
	secrets []string
	*signing.Signer
}

// signer returns what signs for a package that has these secrets now. d is of one of its
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

// CompactConfig returns a config as plugins get it: compact JSON, and {} for none.
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

// issuedToken is a platform token, the id of the key that signed it, and the time
// until which it is handed out.
type issuedToken struct {
	token, key string
	until      time.Time
}

// token returns a platform token for an installation. The same token is handed out
// during half its life, so a plugin can use it for the other half at least. A new
// one is issued earlier if another key signs now: the old key may have been
// withdrawn, and its tokens with it.
func (g *Gateway) token(ctx context.Context, d *derived, installationID string) (string, error) {
	now := g.Now()
	key, err := g.Tokens.PluginTokenKey(ctx) // first: a newer key may sign the token by then
	if err != nil {
		return "", err
	}
	good := func(t *issuedToken) bool { return t != nil && t.key == key && now.Before(t.until) }
	if t := d.token.Load(); good(t) {
		return t.token, nil
	}
	if t, _ := g.Memory.tokens.Get(installationID); good(t) { // of another state of the instance
		d.token.Store(t)
		return t.token, nil
	}
	token, expires, err := g.Tokens.IssuePluginToken(ctx, installationID)
	if err != nil {
		return "", err
	}
	t := &issuedToken{token, key, now.Add(expires.Sub(now) / 2)}
	g.Memory.tokens.Put(installationID, t)
	d.token.Store(t)
	return token, nil
}
