// Package httpapi is the JSON API over HTTP: the list of all routes (routes.go), the middleware of
// every request, and the routing. The handlers are in the packages below, by area. A handler reads the
// request, calls one domain service and writes the answer; rules belong to the domains.
//
// The document of the routes is api/openapi.yaml, against which the API tests
// check every answer.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/apikey"
	"stoa/internal/account/impersonate"
	"stoa/internal/account/invite"
	"stoa/internal/account/leave"
	"stoa/internal/account/staff"
	"stoa/internal/account/takeout"
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
	"stoa/internal/html/locale"
	"stoa/internal/html/pages"
	"stoa/internal/html/storefront"
	"stoa/internal/html/webapp"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/handoff"
	"stoa/internal/market/operation"
	"stoa/internal/market/origin"
	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/message/template"
	"stoa/internal/message/webhook"
	"stoa/internal/operate/figures"
	"stoa/internal/operate/lookup"
	"stoa/internal/operate/overview"
	"stoa/internal/operate/signin"
	"stoa/internal/operate/system"
	"stoa/internal/run/gateway"
	"stoa/internal/run/hook"
	"stoa/internal/run/traffic"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/release"
	"stoa/internal/shop/review"
	"stoa/internal/shop/site"
	"stoa/internal/trust/audit"
	"stoa/internal/trust/keyring"
)

// Server holds the dependencies of the handlers. All fields are required unless their comment says
// otherwise.
type Server struct {
	Log  *slog.Logger
	Now  func() time.Time
	Auth guard.Authenticator
	// Recheck is how often the caller of a lasting call to a plugin is authenticated again, by
	// default every 750 ms.
	Recheck time.Duration

	Accounts    *account.Service
	Leaving     *leave.Service
	Takeout     *takeout.Service
	Keys        *apikey.Keys
	StandIns    *impersonate.Service
	Audit       *audit.Log
	Invitations *invite.Service

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

	Catalog *catalog.Service
	// Generations tells whether the shop's pages show something that has changed.
	Generations catalog.Generations

	Licenses  *license.Service
	Discounts *discount.Service
	Templates *template.Service
	Orders    *order.Service
	Reviews   *review.Service
	Releases  *release.Service
	// Market is what other stoas install from; nil: they may not.
	Market   *origin.Service
	Handoffs *handoff.Service
	Markets  *remote.Service
	// Operations are what comes from the markets of other stoas.
	Operations *operation.Service
	// Entitlements are the licenses of packages that came from markets.
	Entitlements *entitlement.Service
	Media        shop.Media
	// LicenseKeys sign answers about licenses, and leases.
	LicenseKeys *keyring.Ring

	// Idempotency stores the answers to requests with an Idempotency-Key.
	Idempotency *idempotency.Keeper

	// Limiter counts requests against limit.Rules. nil turns limits off, for load tests.
	Limiter *ratelimit.Limiter
	// ClientIP determines the address by which requests are counted.
	ClientIP reqctx.AddrResolver

	// Hosts are the hosts that requests may be addressed to.
	Hosts hosts.Policy

	// CORSOrigins are the origins whose pages may call the API of shops: exact ones, or only "*"
	// for all. If empty, only stoa's own pages may.
	CORSOrigins []string

	// PublicURL is the address at which clients reach this server, without a trailing slash. The
	// reference's examples use it.
	PublicURL string

	// Site holds the shop's name and other settings.
	Site *site.Service
	// Staff holds the roles.
	Staff *staff.Service
	// SignIn holds the settings about sign-in.
	SignIn *signin.Service
	// Lookup runs the searches of administrators.
	Lookup *lookup.Service
	// Overview summarizes the shop on the console's first page.
	Overview *overview.Service
	// Figures reports what was sold, and how subscriptions go.
	Figures *figures.Service
	// System shows administrators the state of this process.
	System *system.Service

	// Web has the files of console and storefront; nil: they are not built.
	Web *webapp.Bundle

	// Storefront writes the pages of the shop.
	Storefront *storefront.Languages
	// Languages are those of pages, and Locale is the operator's choice among them (STOA_LOCALE), if it is one.
	Languages *locale.Languages
	Locale    string

	// Refused reports whether a request is ambiguous about its length (framing.Guard).
	Refused func(r *http.Request) bool

	// Budget limits the memory of request bodies. nil: no limit.
	Budget *bodies.Budget

	// Tracer records a span for each request. nil: no spans.
	Tracer *trace.Tracer

	// Witness, if there is one, gets the value of which each JSON answer was made. Tests compare its
	// type with the API document.
	Witness func(r *http.Request, status int, v any)
	// Observe counts an answered request by the pattern of its route.
	Observe func(route string, status int, took time.Duration)

	// Count counts events by outcome (ops.Metrics).
	Count func(what, outcome string)

	// Build is the answer of /livez.
	Build Build

	// Ready returns the state of everything that this process needs.
	Ready func(ctx context.Context) []system.Condition
}

// The time limits of requests with long bodies, uploads included. For others see requestTimeout.
const (
	fileTimeout    = 2 * time.Minute // of a picture or a catalog
	installTimeout = 10 * time.Minute
	marketTimeout  = time.Minute     // until a market has answered
	appTimeout     = 3 * time.Minute // until a theme app has started and is healthy
)

// Handler returns the API.
func (s *Server) Handler() http.Handler {
	return stall.Streams(s.middleware(s.crossOrigin(s.routes())))
}

// routes returns the router of every route.
func (s *Server) routes() *router {
	limits := limit.Counter{Limiter: s.Limiter, ClientIP: s.ClientIP, Delays: limit.NewDelays()}
	keys := keyed.Requests{Keeper: s.Idempotency, ClientIP: s.ClientIP, Log: s.Log}
	h := s.handlers(limits, keys)
	rt := &router{
		respond: web.Responder{Log: s.Log}, auth: s.Auth, recent: map[recency]recentCheck{
			always: s.Accounts.RequireRecent, forChanges: s.Accounts.RequireRecentAdmin,
			forSessions: s.Accounts.RequireRecentForSessions,
		},
		rules: func(ctx context.Context) error {
			_, err := s.Accounts.Rules(ctx)
			return err
		},
		languages: s.Languages,
		limits:    limits, keys: keys, budget: s.Budget,
		platform: h.platform.Plugin, whileCaller: h.call.WhileCaller,
		ownAuthorization: s.Gateway.OwnAuthorization,
		themeApp:         s.orAway(h.themeApp.Root), look: h.storefront.ReadShop, missing: s.failure(pages.Site.Missing),
		away: s.page(pages.Site.Away),
	}
	rows := s.list(h)
	if s.Market == nil { // then its addresses are unknown ones
		rows = slices.DeleteFunc(rows, func(r route) bool { return strings.Contains(r.pattern, " "+terms.Prefix) })
	}
	rt.register(rows)
	return rt
}
