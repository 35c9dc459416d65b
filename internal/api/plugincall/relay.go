// Package plugincall serves the calls that reach plugins through the gateway, which end
// when their caller loses access.
package plugincall

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"stoa/internal/api/guard"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/theme"
	"stoa/internal/run/gateway"
)

// themeAppToken is the header by which a theme app is recognized. The gateway passes it
// to no plugin.
const themeAppToken = "X-Theme-App-Token" //nolint:gosec // the name of a header

// Handlers serve the calls to plugins. All fields are required unless they
// say otherwise.
type Handlers struct {
	Auth guard.Authenticator
	// Recheck is how often the caller of a lasting call is authenticated again, by default every
	// 750 ms.
	Recheck time.Duration

	Gateway *gateway.Gateway
	Themes  *theme.Service

	// ClientIP determines the X-Forwarded-* headers that plugins get.
	ClientIP reqctx.AddrResolver
}

// ShopCall serves ANY /api/v1/shop/plugins/{slug}/api/* and GET …/health. slug and
// rest, which is what follows the slug in the path, are as the client escaped
// them, here and below.
func (h *Handlers) ShopCall(w http.ResponseWriter, r *http.Request, slug, rest string) error {
	return h.call(w, r, gateway.Call{Slug: slug, Path: rest, Caller: gateway.CallerShop})
}

// LegacyCall serves ANY /api/extensions/plugin/{slug}/api/{path}, which reaches
// the plugin's /{path}, as it always did.
func (h *Handlers) LegacyCall(w http.ResponseWriter, r *http.Request, slug, rest string) error {
	return h.call(w, r, gateway.Call{
		Slug: slug, Path: strings.TrimPrefix(rest, "/api"), Caller: gateway.CallerShop,
	})
}

// AdminCall serves ANY /api/v1/admin/plugins/{slug}/api/*, and …/admin/*, which is the
// only way to the plugin's /admin/*.
func (h *Handlers) AdminCall(w http.ResponseWriter, r *http.Request, slug, rest string) error {
	return h.call(w, r, gateway.Call{Slug: slug, Path: rest, Caller: gateway.CallerAdmin, Admin: true})
}

func (h *Handlers) call(w http.ResponseWriter, r *http.Request, c gateway.Call) error {
	if base, ok := strings.CutSuffix(cmp.Or(r.URL.RawPath, r.URL.EscapedPath()), c.Path); ok {
		c.Base = base
	}
	c.Forwarded = gateway.Forwarded{Proto: h.ClientIP.Proto(r), Host: r.Host}
	if addr := reqctx.AddrFrom(r.Context()); addr.IsValid() {
		c.Forwarded.For = addr.String()
	}
	if token := r.Header.Get(themeAppToken); token != "" {
		isApp, err := h.Themes.IsAppToken(r.Context(), token)
		if err != nil {
			return err
		}
		if isApp { // a wrong token is ignored (contract 4.17)
			c.Caller = gateway.CallerThemeApp
		}
	}
	return h.Gateway.Serve(w, r, c)
}
