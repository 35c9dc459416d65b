// Package httpapi is the JSON API over HTTP. A handler reads the request, calls
// one domain service and writes the answer; rules belong to the domain packages.
//
// Every route is listed in this file. The contract they keep is
// api/openapi.yaml, against which the API tests check every response.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"stoa/internal/account"
	"stoa/internal/audit"
	"stoa/internal/caller"
	"stoa/internal/clientip"
	"stoa/internal/extension/install"
	"stoa/internal/gateway"
	"stoa/internal/idempotency"
	"stoa/internal/keyring"
	"stoa/internal/market"
	"stoa/internal/plugin"
	"stoa/internal/ratelimit"
)

// Authenticator establishes who is calling.
type Authenticator interface {
	// Authenticate returns the caller behind a bearer token: a user with a live
	// session, or a service. It returns an errs.Unauthenticated error for
	// anything else.
	Authenticate(ctx context.Context, token string) (caller.Caller, error)
}

// Server holds what the handlers need. All fields are required unless they say
// otherwise.
type Server struct {
	Log  *slog.Logger
	Now  func() time.Time
	Auth Authenticator
	// Recheck is how often the caller of a lasting call to a plugin is looked up
	// again, by default 750 ms.
	Recheck time.Duration

	Accounts *account.Service
	Audit    *audit.Log

	Plugins   *plugin.Service
	Installer *install.Installer

	Gateway *gateway.Gateway

	Market *market.Service
	Media  Media
	// LicenseKeys sign what holders of licences rely on.
	LicenseKeys *keyring.Ring

	// Idempotency remembers the requests that have an Idempotency-Key.
	Idempotency *idempotency.Keeper

	// Limiter counts requests against Limits. nil counts nothing: for load tests.
	Limiter *ratelimit.Limiter
	// ClientIP says whose address a limit counts.
	ClientIP clientip.Resolver

	// Refused reports that a request states its length twice (framing.Guard).
	Refused func(r *http.Request) bool

	// Observe counts an answered request by the pattern of its route.
	Observe func(route string, status int, took time.Duration)

	// Ready returns nil while this process can do its work.
	Ready func(ctx context.Context) error

	forged forgeries
}

// Handler returns the API.
func (s *Server) Handler() http.Handler { return s.middleware(s.routes()) }

// routes is the complete list of routes.
func (s *Server) routes() *router {
	rt := newRouter(s)

	rt.public("GET /livez", s.livez)
	rt.public("GET /readyz", s.readyz)
	rt.public("GET /openapi.json", s.openapi)
	rt.public("GET /docs", s.docs)

	rt.public("POST /auth/register", s.byAddress(limitRegister, s.register))
	rt.public("POST /auth/login", s.byAddress(limitLogin, s.login))
	rt.public("GET /auth/me", s.me)            // wants a user, and is limited by user
	rt.public("POST /auth/refresh", s.refresh) // limited by session
	rt.public("POST /auth/logout", s.logout)
	rt.user("POST /auth/change-password", s.byUser(limitChangePassword, s.changePassword))
	rt.public("POST /auth/forgot-password", s.byAddress(limitForgotPassword, s.forgotPassword))
	rt.public("POST /auth/reset-password", s.byAddress(limitResetPassword, s.resetPassword))
	rt.public("GET /reset-password", resetPage)
	rt.public("POST /auth/setup", s.byAddress(limitSetup, s.setUp))
	rt.public("GET /setup", s.setupPage)
	rt.user("GET /auth/sessions", s.listSessions)
	rt.user("DELETE /auth/sessions/{id}", s.endSession)
	rt.public("GET /.well-known/jwks.json", s.jwks)

	rt.public("GET /api/marketplace/products", s.listProducts)
	rt.public("GET /api/marketplace/products/{slug}", s.getProduct)
	rt.open("POST /api/marketplace/products/{slug}/purchase", s.byBuyer(limitPurchase, s.keyed(s.purchaseProduct)))
	rt.public("POST /api/marketplace/products/{slug}/activate", s.keyed(s.activateLicense))
	rt.public("POST /api/marketplace/products/{slug}/deactivate", s.deactivateLicense)
	rt.user("GET /api/marketplace/licenses", s.listOwnLicenses)
	rt.user("GET /api/marketplace/licenses/{id}/activations", s.listOwnActivations)
	rt.user("DELETE /api/marketplace/licenses/{id}/activations/{instanceId}", s.freeOwnActivation)
	rt.public("GET /api/marketplace/products/{slug}/license/verify", s.signed(s.verifyLicense))
	rt.public("GET /api/marketplace/products/{slug}/license/lease", s.signed(s.leaseLicense))
	rt.user("GET /api/marketplace/orders", s.listOrders)
	rt.user("POST /api/marketplace/orders/claim-request", s.byUser(limitClaimRequest, s.requestClaim))
	rt.user("POST /api/marketplace/orders/claim", s.byUser(limitClaim, s.claimOrders))
	rt.public("GET /claim-orders", claimPage)
	rt.public("POST /api/marketplace/payments/stripe/webhook", s.stripeWebhook)
	rt.public("GET /payment/success", paidPage)
	rt.public("GET /payment/cancelled", notPaidPage)
	rt.public("GET /api/marketplace/license-keys", s.licenseKeys)
	rt.public("GET /api/marketplace/products/{slug}/reviews", s.listReviews)
	rt.user("POST /api/marketplace/products/{slug}/reviews", s.writeReview)
	rt.user("DELETE /api/marketplace/products/{slug}/reviews", s.withdrawReview)
	rt.public("GET /media/{file}", s.serveMedia)

	rt.admin("GET /api/v1/admin/users", s.listUsers)
	rt.admin("GET /api/v1/admin/users/{id}", s.getUser)
	rt.admin("PATCH /api/v1/admin/users/{id}", s.changeUser)
	rt.admin("GET /api/v1/admin/licenses", s.findLicenses)
	rt.admin("POST /api/v1/admin/licenses", s.grantLicense)
	rt.admin("POST /api/v1/admin/licenses/lookup", s.lookUpLicense)
	rt.admin("GET /api/v1/admin/licenses/{id}", s.getLicense)
	rt.admin("PATCH /api/v1/admin/licenses/{id}", s.changeLicense)
	rt.admin("POST /api/v1/admin/licenses/{id}/renew", s.renewLicense)
	rt.admin("POST /api/v1/admin/licenses/{id}/revoke", s.revokeLicense)
	rt.admin("GET /api/v1/admin/licenses/{id}/activations", s.listActivations)
	rt.admin("DELETE /api/v1/admin/licenses/{id}/activations/{instanceId}", s.freeActivation)
	rt.admin("GET /api/v1/admin/orders", s.findOrders)
	rt.admin("GET /api/v1/admin/orders/{id}", s.getOrder)
	rt.admin("POST /api/v1/admin/orders/{id}/refund", s.refundOrder)
	rt.admin("POST /api/v1/admin/orders/{id}/cancel", s.cancelOrder)
	rt.admin("GET /api/v1/admin/reviews", s.findReviews)
	rt.admin("PATCH /api/v1/admin/reviews/{id}", s.hideReview)
	rt.admin("DELETE /api/v1/admin/reviews/{id}", s.removeReview)
	rt.admin("GET /api/v1/admin/audit", s.listAudit)

	rt.admin("GET /api/v1/admin/products", s.listManagedProducts)
	rt.admin("POST /api/v1/admin/products", s.createProduct)
	rt.admin("GET /api/v1/admin/products/{slug}", s.getManagedProduct)
	rt.admin("PATCH /api/v1/admin/products/{slug}", s.changeProduct)
	rt.admin("DELETE /api/v1/admin/products/{slug}", s.deleteProduct)
	rt.adminUpload("POST /api/v1/admin/media", fileTimeout, s.uploadMedia)
	rt.admin("GET /api/v1/admin/catalog", s.exportCatalog)
	rt.adminUpload("POST /api/v1/admin/catalog", fileTimeout, s.importCatalog)

	rt.adminUpload("POST /api/v1/admin/extensions/{kind}/install", uploadTimeout, s.installExtension)
	rt.admin("GET /api/v1/admin/extensions", s.listExtensions)
	rt.admin("GET /api/v1/admin/extensions/{kind}", s.listExtensions)
	rt.admin("GET /api/v1/admin/extensions/{kind}/{slug}", s.getExtension)
	rt.admin("DELETE /api/v1/admin/extensions/{kind}/{slug}", s.uninstallExtension)
	rt.admin("GET /api/v1/admin/plugins/{slug}", s.getPlugin)
	rt.admin("DELETE /api/v1/admin/plugins/{slug}", s.uninstallPlugin)
	rt.admin("GET /api/v1/admin/plugins/{slug}/secret", s.getSecret)
	rt.admin("POST /api/v1/admin/plugins/{slug}/secret/rotate", s.rotateSecret)
	rt.admin("GET /api/v1/admin/plugins/{slug}/instances", s.listInstances)
	rt.admin("POST /api/v1/admin/plugins/{slug}/instances", s.keyed(s.createInstance))
	rt.admin("GET /api/v1/admin/plugins/{slug}/instances/{installationId}", s.getInstance)
	rt.admin("PATCH /api/v1/admin/plugins/{slug}/instances/{installationId}", s.changeInstance)
	rt.admin("DELETE /api/v1/admin/plugins/{slug}/instances/{installationId}", s.deleteInstance)

	rt.call("/api/v1/shop/plugins/{slug}/api/{path...}", s.shopCall)
	rt.call("GET /api/v1/shop/plugins/{slug}/health", s.shopCall)
	rt.call("/api/extensions/plugin/{slug}/api/{path...}", s.legacyCall)
	rt.adminCall("/api/v1/admin/plugins/{slug}/api/{path...}", s.adminCall)
	rt.plugin("GET /api/v1/platform/config", s.platformConfig)

	return rt
}
