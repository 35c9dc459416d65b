// Package httpapi is the JSON API over HTTP: the list of all routes (routes.go), what
// every request passes through, and the routing. The handlers are in the packages
// below, by area. A handler reads the request, calls one
// domain service and writes the answer; rules belong to the domains.
//
// The document of the routes is api/openapi.yaml, against which the API tests
// check every answer.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"stoa/internal/account"
	"stoa/internal/api/guard"
	"stoa/internal/api/keyed"
	"stoa/internal/api/limit"
	"stoa/internal/api/shop"
	"stoa/internal/api/themes"
	"stoa/internal/api/web"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
	"stoa/internal/data/idempotency"
	"stoa/internal/edge/bodies"
	"stoa/internal/edge/hosts"
	"stoa/internal/edge/ratelimit"
	"stoa/internal/edge/stall"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/plugin/storage"
	"stoa/internal/extension/theme"
	"stoa/internal/html/pages"
	"stoa/internal/html/storefront"
	"stoa/internal/html/webapp"
	"stoa/internal/message/webhook"
	"stoa/internal/operate/lookup"
	"stoa/internal/operate/overview"
	"stoa/internal/operate/system"
	"stoa/internal/run/gateway"
	"stoa/internal/run/hook"
	"stoa/internal/run/traffic"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/release"
	"stoa/internal/shop/review"
	"stoa/internal/shop/site"
	"stoa/internal/trust/audit"
	"stoa/internal/trust/keyring"
)

// Server holds what the handlers need. All fields are required unless they say
// otherwise.
type Server struct {
	Log  *slog.Logger
	Now  func() time.Time
	Auth guard.Authenticator
	// Recheck is how often the caller of a lasting call to a plugin is looked up
	// again, by default every 750 ms.
	Recheck time.Duration

	Accounts *account.Service
	Audit    *audit.Log

	Plugins   *plugin.Service
	Themes    *theme.Service
	Bundles   *bundle.Service
	Installer *install.Installer
	Storage   *storage.Service // of plugins
	// Apps runs theme apps.
	Apps themes.Runner

	Gateway *gateway.Gateway
	Traffic *traffic.Book // of the Gateway
	Hooks   *hook.Log

	Webhooks *webhook.Service

	Catalog  *catalog.Service
	Licenses *license.Service
	Orders   *order.Service
	Reviews  *review.Service
	Releases *release.Service
	Media    shop.Media
	// LicenseKeys sign the answers and leases that holders of licenses rely on.
	LicenseKeys *keyring.Ring

	// Idempotency remembers the requests that have an Idempotency-Key.
	Idempotency *idempotency.Keeper

	// Limiter counts requests against limit.Rules. nil counts nothing: for load
	// tests.
	Limiter *ratelimit.Limiter
	// ClientIP determines the address that a limit counts.
	ClientIP reqctx.AddrResolver

	// Hosts are those that requests may be addressed to.
	Hosts hosts.Policy

	// CORSOrigins are the origins whose pages may call the API of shops: exact ones,
	// or "*" alone for all. Without any, only stoa's own pages may.
	CORSOrigins []string

	// PublicURL is where clients reach this server, without a slash at the end. The
	// reference's examples name it.
	PublicURL string

	// Site is what the operator says of the shop.
	Site *site.Service
	// Lookup finds what administrators search for.
	Lookup *lookup.Service
	// Overview is what administrators see first.
	Overview *overview.Service
	// System tells administrators about this process.
	System *system.Service

	// Web has the files of console and storefront; nil: they are not built.
	Web *webapp.Bundle

	// Storefront writes the pages of the shop.
	Storefront *storefront.Pages

	// Refused reports that a request states its length twice (framing.Guard).
	Refused func(r *http.Request) bool

	// Budget bounds the memory of request bodies. nil: no bound.
	Budget *bodies.Budget

	// Tracer records a span of each request. nil: of none.
	Tracer *trace.Tracer

	// Observe counts an answered request by the pattern of its route.
	Observe func(route string, status int, took time.Duration)

	// Count counts what happened, by outcome (ops.Metrics).
	Count func(what, outcome string)

	// Build is what /livez tells.
	Build Build

	// Ready returns the state of what this process needs to do its work.
	Ready func(ctx context.Context) []system.Condition
}

// What requests with long bodies may take, the upload included. For others see
// requestTimeout.
const (
	fileTimeout    = 2 * time.Minute // of a picture or a catalog
	installTimeout = 10 * time.Minute
	appTimeout     = 3 * time.Minute // until a theme app has started and is healthy
)

// Handler returns the API.
func (s *Server) Handler() http.Handler {
	return stall.Streams(s.middleware(s.crossOrigin(s.routes())))
}

// routes returns the router of every route.
func (s *Server) routes() *router {
	limits := limit.Counter{Limiter: s.Limiter, ClientIP: s.ClientIP, Lane: limit.NewLane()}
	keys := keyed.Requests{Keeper: s.Idempotency, ClientIP: s.ClientIP, Log: s.Log}
	h := s.handlers(limits, keys)
	rt := &router{
		respond: web.Responder{Log: s.Log}, auth: s.Auth, limits: limits, keys: keys, budget: s.Budget,
		platform: h.platform.Plugin, whileCaller: h.call.WhileCaller,
		themeApp: s.orAway(h.themeApp.Root), missing: s.failure(pages.Site.Missing),
	}
	rt.register(s.list(h))
	return rt
}
