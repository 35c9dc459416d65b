package gateway

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"stoa/internal/cache"
	"stoa/internal/plugin"
)

const (
	// maxConfigHeader is the longest value of x-plugin-config in bytes (CONTRACT 5
	// and 8): Node.js refuses headers of more than 16 KiB together.
	maxConfigHeader = 8 << 10
	// maxDerived is how many installations each cache of a Memory holds.
	maxDerived = 4096
)

// Memory caches what a Gateway derives for installations, so that it is not derived
// for every call, and counts the calls of those that have a bound. NewMemory makes one. It is safe for concurrent use.
type Memory struct {
	configs *cache.Cache[string, configHeader] // by installation id
	tokens  *cache.Cache[string, issuedToken]  // by installation id
	turns   turns
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	return &Memory{
		configs: cache.New[string, configHeader](maxDerived),
		tokens:  cache.New[string, issuedToken](maxDerived),
	}
}

// configHeader is the header that tells a plugin its config, or the digest of a
// config that is too long for a header.
type configHeader struct {
	version     int64
	name, value string
}

// config returns the header for an instance's config. Without a config it says {},
// so that a plugin always has something to decode.
//
// The header is made once for each version of the instance. The instance itself
// comes from the database on every call.
func (g *Gateway) config(in plugin.Instance) (configHeader, error) {
	if c, ok := g.Memory.configs.Get(in.ID); ok && c.version == in.Version {
		return c, nil
	}
	compact, err := CompactConfig(in.Config)
	if err != nil {
		return configHeader{}, fmt.Errorf("gateway: config of installation %s: %w", in.ID, err)
	}
	c := configHeader{in.Version, "X-Plugin-Config", base64.RawURLEncoding.EncodeToString(compact)}
	if len(c.value) > maxConfigHeader {
		c.name, c.value = "X-Plugin-Config-Digest", ConfigDigest(compact)
	}
	g.Memory.configs.Put(in.ID, c)
	return c, nil
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
func (g *Gateway) token(ctx context.Context, installationID string) (string, error) {
	now := g.Now()
	key, err := g.Tokens.PluginTokenKey(ctx) // first: a newer key may sign the token by then
	if err != nil {
		return "", err
	}
	if t, ok := g.Memory.tokens.Get(installationID); ok && t.key == key && now.Before(t.until) {
		return t.token, nil
	}
	token, expires, err := g.Tokens.IssuePluginToken(ctx, installationID)
	if err != nil {
		return "", err
	}
	until := now.Add(expires.Sub(now) / 2)
	g.Memory.tokens.Put(installationID, issuedToken{token, key, until})
	return token, nil
}
