package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/trust/signing"
)

type fixedTokens struct{}

func (fixedTokens) IssuePluginToken(context.Context, PluginToken) (string, time.Time, error) {
	return "token", time.Now().Add(time.Hour), nil
}
func (fixedTokens) PluginTokenKey(context.Context) (string, error) { return "key", nil }

// The signed headers are sorted already, complete, and equal to those that are sent.
func TestContextHeadersAreSignedAsTheyAreSent(t *testing.T) {
	t.Parallel()
	g := &Gateway{Tokens: fixedTokens{}, Memory: NewMemory(), Now: time.Now, Platform: Platform{ID: "p"}, Log: slog.New(slog.DiscardHandler)}
	for _, config := range []string{`{"a":1}`, `{"b":1}`, `{"a":"` + strings.Repeat("x", 2*maxConfigHeader) + `"}`} {
		who := reqctx.Caller{}
		if config == `{"b":1}` {
			who = reqctx.Caller{UserID: "u1", Impersonator: "s1"}
		}
		in := plugin.Installed{Instance: plugin.Instance{ID: config[:4], Config: []byte(config)}}
		d, err := g.derive(&in)
		if err != nil {
			t.Fatal(err)
		}
		p := &passage{header: http.Header{}}
		if err := g.setContext(t.Context(), p, &in, d, who,
			Call{Caller: CallerAdmin, Forwarded: Forwarded{For: "192.0.2.1", Proto: "https", Host: "shop.example"}}); err != nil {
			t.Fatal(err)
		}
		signed := p.signed.list[:p.signed.n]
		if !slices.IsSortedFunc(signed, func(a, b signing.Header) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("not in order: %v", signed)
		}
		if len(signed) != len(p.header) || len(signed) > maxContext {
			t.Errorf("%d signed, %d set", len(signed), len(p.header))
		}
		for _, h := range signed {
			name := http.CanonicalHeaderKey(h.Name)
			if got := p.header[name]; strings.ToLower(name) != h.Name || len(got) != 1 || got[0] != h.Value {
				t.Errorf("%s is signed as %q and sent as %q", h.Name, h.Value, got)
			}
			if !signing.Reserved(h.Name) {
				t.Errorf("%s is not reserved: a client could send it too", h.Name)
			}
		}
	}
}
