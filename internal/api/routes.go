package httpapi

import (
	"net/http"

	"stoa/internal/api/admin"
	"stoa/internal/api/auth"
	"stoa/internal/api/extension"
	"stoa/internal/api/keyed"
	"stoa/internal/api/limit"
	"stoa/internal/api/platform"
	"stoa/internal/api/relay"
	"stoa/internal/api/shop"
	"stoa/internal/api/web"
	webhooks "stoa/internal/api/webhook"
	"stoa/internal/html/pages"
)

// The routes of each area. The method of the router says who may call a route.

func (s *Server) accountRoutes(rt *router, limits limit.Counter) {
	h := &auth.Handlers{
		Log: s.Log, Accounts: s.Accounts, Limits: limits, ClientIP: s.ClientIP, PublicURL: s.PublicURL,
	}

	rt.public("POST /auth/register", limits.ByAddress(limit.Register, h.Register))
	rt.public("POST /auth/login", limits.ByAddress(limit.Login, h.Login))
	rt.public("GET /auth/me", h.Me)            // requires a user, and is limited by user
	rt.public("POST /auth/refresh", h.Refresh) // limited by session
	rt.public("POST /auth/logout", h.Logout)
	rt.user("POST /auth/change-password", limits.ByUser(limit.ChangePassword, h.ChangePassword))
	rt.public("POST /auth/forgot-password", limits.ByAddress(limit.ForgotPassword, h.ForgotPassword))
	rt.public("POST /auth/reset-password", limits.ByAddress(limit.ResetPassword, h.ResetPassword))
	rt.public("GET /register", web.HTML(s.page(pages.Site.Register)))
	rt.public("GET /reset-password", web.HTML(s.page(pages.Site.Reset))) // the target of links in mails
	rt.public("POST /auth/setup", limits.ByAddress(limit.SetUp, h.SetUp))
	rt.public("GET /setup", h.SetupPage(web.HTML(s.page(pages.Site.Setup)),
		web.FailureHTML(http.StatusNotFound, s.page(pages.Site.SetupDone))))
	rt.user("GET /auth/sessions", h.ListSessions)
	rt.user("DELETE /auth/sessions/{id}", h.EndSession)
	rt.public("GET /.well-known/jwks.json", h.JWKS)
}

func (s *Server) shopRoutes(rt *router, limits limit.Counter, keys keyed.Requests) {
	h := &shop.Handlers{
		Log: s.Log, Now: s.Now, Count: s.Count, Media: s.Media, Keys: s.LicenseKeys,
		Catalog: s.Catalog, Licenses: s.Licenses, Orders: s.Orders, Reviews: s.Reviews, Releases: s.Releases,
		Site: s.Site, Accounts: s.Accounts,
	}

	rt.public("GET /api/v1/shop/settings", h.Settings)
	rt.public("GET /api/marketplace/products", h.ListProducts)
	rt.public("GET /api/marketplace/products/{slug}", h.GetProduct)
	rt.open("POST /api/marketplace/products/{slug}/purchase", limits.ByBuyer(limit.Purchase, keys.JSON(h.Purchase)))
	rt.public("POST /api/marketplace/products/{slug}/activate", keys.JSON(h.Activate))
	rt.public("POST /api/marketplace/products/{slug}/deactivate", h.Deactivate)
	rt.user("GET /api/marketplace/licenses", h.ListLicenses)
	rt.user("GET /api/marketplace/licenses/{id}", h.GetLicense)
	rt.user("GET /api/marketplace/licenses/{id}/activations", h.ListActivations)
	rt.user("DELETE /api/marketplace/licenses/{id}/activations/{instanceId}", h.FreeActivation)
	rt.public("GET /api/marketplace/products/{slug}/license/verify", h.Verify)
	rt.public("GET /api/marketplace/products/{slug}/license/lease", h.Lease)
	rt.public("GET /api/marketplace/license-keys", h.LicenseKeys)
	rt.user("GET /api/marketplace/orders", h.ListOrders)
	rt.user("GET /api/marketplace/orders/{id}", h.GetOrder)
	rt.public("POST /api/marketplace/orders/{id}/lookup", h.LookUpOrder)
	rt.user("POST /api/marketplace/orders/claim-request", limits.ByUser(limit.ClaimRequest, h.RequestClaim))
	rt.user("POST /api/marketplace/orders/claim", limits.ByUser(limit.Claim, h.ClaimOrders))
	rt.public("POST /api/marketplace/orders/claim-link", limits.ByAddress(limit.ClaimLink, h.OpenClaimLink))
	rt.public("GET /claim-orders", web.HTML(s.page(pages.Site.Claim))) // the target of links in mails
	rt.public("POST /api/marketplace/payments/stripe/webhook", h.StripeWebhook)
	// Where buyers return from the payment provider's page. Neither the pages nor the
	// redirects tell anything about the order: the address proves nothing.
	rt.public("GET /payment/success", s.toOrder("success", web.HTML(s.page(pages.Site.Paid))))
	rt.public("GET /payment/cancelled", s.toOrder("cancelled", web.HTML(s.page(pages.Site.NotPaid))))
	rt.public("GET /api/marketplace/products/{slug}/reviews", h.ListReviews)
	rt.user("POST /api/marketplace/products/{slug}/reviews", h.WriteReview)
	rt.user("DELETE /api/marketplace/products/{slug}/reviews", h.WithdrawReview)
	rt.public("GET /media/{file}", h.ServeMedia)
}

func (s *Server) adminRoutes(rt *router) {
	h := &admin.Handlers{
		Log: s.Log, Now: s.Now, Count: s.Count, Accounts: s.Accounts, Audit: s.Audit,
		Catalog: s.Catalog, Licenses: s.Licenses, Orders: s.Orders, Reviews: s.Reviews, Releases: s.Releases,
		Site: s.Site, System: s.System, Overview: s.Overview, Lookup: s.Lookup,
	}

	rt.admin("POST /api/v1/admin/search", h.Search)
	rt.admin("GET /api/v1/admin/overview", h.ShowOverview)
	rt.admin("GET /api/v1/admin/system", h.DescribeSystem)
	rt.admin("POST /api/v1/admin/keys/rotate", h.RotateKeys)
	rt.admin("GET /api/v1/admin/settings", h.GetSettings)
	rt.admin("PATCH /api/v1/admin/settings", h.ChangeSettings)
	rt.admin("GET /api/v1/admin/users", h.ListUsers)
	rt.admin("GET /api/v1/admin/users/{id}", h.GetUser)
	rt.admin("PATCH /api/v1/admin/users/{id}", h.ChangeUser)
	rt.admin("GET /api/v1/admin/users/{id}/sessions", h.ListSessions)
	rt.admin("DELETE /api/v1/admin/users/{id}/sessions", h.EndSessions)
	rt.admin("DELETE /api/v1/admin/users/{id}/sessions/{sessionId}", h.EndSession)
	rt.admin("GET /api/v1/admin/licenses", h.ListLicenses)
	rt.admin("POST /api/v1/admin/licenses", h.GrantLicense)
	rt.admin("POST /api/v1/admin/licenses/lookup", h.LookUpLicense)
	rt.admin("GET /api/v1/admin/licenses/{id}", h.GetLicense)
	rt.admin("PATCH /api/v1/admin/licenses/{id}", h.ChangeLicense)
	rt.admin("POST /api/v1/admin/licenses/{id}/renew", h.RenewLicense)
	rt.admin("POST /api/v1/admin/licenses/{id}/revoke", h.RevokeLicense)
	rt.admin("GET /api/v1/admin/licenses/{id}/activations", h.ListActivations)
	rt.admin("DELETE /api/v1/admin/licenses/{id}/activations/{instanceId}", h.FreeActivation)
	rt.admin("GET /api/v1/admin/orders", h.ListOrders)
	rt.admin("GET /api/v1/admin/orders/{id}", h.GetOrder)
	rt.admin("POST /api/v1/admin/orders/{id}/refund", h.RefundOrder)
	rt.admin("POST /api/v1/admin/orders/{id}/cancel", h.CancelOrder)
	rt.admin("GET /api/v1/admin/reviews", h.ListReviews)
	rt.admin("PATCH /api/v1/admin/reviews/{id}", h.HideReview)
	rt.admin("DELETE /api/v1/admin/reviews/{id}", h.RemoveReview)
	rt.admin("GET /api/v1/admin/audit", h.ListAudit)

	rt.admin("GET /api/v1/admin/products", h.ListProducts)
	rt.admin("POST /api/v1/admin/products", h.CreateProduct)
	rt.admin("GET /api/v1/admin/products/{slug}", h.GetProduct)
	rt.admin("GET /api/v1/admin/products/{slug}/preview", h.PreviewProduct)
	rt.admin("PATCH /api/v1/admin/products/{slug}", h.ChangeProduct)
	rt.admin("DELETE /api/v1/admin/products/{slug}", h.DeleteProduct)
	rt.admin("GET /api/v1/admin/media", h.ListMedia)
	rt.adminUpload("POST /api/v1/admin/media", fileTimeout, h.UploadMedia)
	rt.admin("DELETE /api/v1/admin/media/{file}", h.DeleteMedia)
	rt.admin("GET /api/v1/admin/catalog", h.ExportCatalog)
	rt.adminUpload("POST /api/v1/admin/catalog", fileTimeout, h.ImportCatalog)
}

func (s *Server) extensionRoutes(rt *router, keys keyed.Requests) {
	h := &extension.Handlers{
		Plugins: s.Plugins, Themes: s.Themes, Bundles: s.Bundles, Installer: s.Installer, Releases: s.Releases, Keyed: keys,
		Hooks: s.Hooks, Traffic: s.Traffic, Now: s.Now,
	}

	rt.adminUpload("POST /api/v1/admin/extensions/{kind}/install", installTimeout, h.Install) // honors Idempotency-Key
	rt.adminUpload("PUT /api/v1/admin/products/{slug}/package", installTimeout, h.PublishPackage)
	rt.admin("GET /api/v1/admin/products/{slug}/packages", h.PublishedVersions)
	rt.admin("DELETE /api/v1/admin/products/{slug}/packages/{version}", h.WithdrawVersion)
	rt.adminUpload("POST /api/v1/admin/market/{slug}/install", installTimeout, keys.JSON(h.InstallFromMarket))
	rt.admin("GET /api/v1/admin/market/updates", h.MarketUpdates)
	rt.admin("GET /api/v1/admin/extensions", h.List)
	rt.admin("GET /api/v1/admin/extensions/{kind}", h.List)
	rt.admin("GET /api/v1/admin/themes", h.ListThemes)
	rt.admin("GET /api/v1/admin/extensions/{kind}/{slug}", h.Get)
	rt.admin("DELETE /api/v1/admin/extensions/{kind}/{slug}", h.Uninstall)
	rt.adminUpload("GET /api/v1/admin/extensions/{kind}/{slug}/archive", installTimeout, h.Archive)
	rt.admin("GET /api/v1/admin/extensions/{kind}/{slug}/files", h.Files)
	rt.admin("GET /api/v1/admin/plugins/{slug}", h.GetPlugin)
	rt.admin("PATCH /api/v1/admin/plugins/{slug}", h.ChangePlugin)
	rt.admin("DELETE /api/v1/admin/plugins/{slug}", h.UninstallPlugin)
	rt.admin("POST /api/v1/admin/plugins/{slug}/rollback", h.Rollback)
	rt.admin("POST /api/v1/admin/plugins/{slug}/restore", h.Restore)
	rt.admin("GET /api/v1/admin/plugins/{slug}/secret", h.GetSecret)
	rt.admin("POST /api/v1/admin/plugins/{slug}/secret/rotate", h.RotateSecret)
	rt.admin("GET /api/v1/admin/traffic", h.AllTraffic)
	rt.admin("GET /api/v1/admin/plugins/{slug}/traffic", h.PluginTraffic)
	rt.admin("GET /api/v1/admin/plugins/{slug}/hooks", h.ListHooks)
	rt.admin("POST /api/v1/admin/plugins/{slug}/hooks/replay", h.ReplayDeadHooks)
	rt.admin("GET /api/v1/admin/hooks", h.ListAllHooks)
	rt.admin("POST /api/v1/admin/hooks/replay", h.ReplayAllDeadHooks)
	rt.admin("POST /api/v1/admin/hooks/{deliveryId}/replay", h.ReplayHook)
	rt.admin("GET /api/v1/admin/plugins/{slug}/instances", h.ListInstances)
	rt.admin("POST /api/v1/admin/plugins/{slug}/instances", keys.JSON(h.CreateInstance))
	rt.admin("GET /api/v1/admin/plugins/{slug}/instances/{installationId}", h.GetInstance)
	rt.admin("PATCH /api/v1/admin/plugins/{slug}/instances/{installationId}", h.ChangeInstance)
	rt.admin("DELETE /api/v1/admin/plugins/{slug}/instances/{installationId}", h.DeleteInstance)
	rt.adminStream("GET /api/v1/admin/plugins/{slug}/instances/{installationId}/logs", s.calls().WhileCaller, h.Logs)
}

func (s *Server) webhookRoutes(rt *router) {
	h := &webhooks.Handlers{Webhooks: s.Webhooks}

	rt.admin("GET /api/v1/admin/webhooks", h.List)
	rt.admin("POST /api/v1/admin/webhooks", h.Create)
	rt.admin("GET /api/v1/admin/webhooks/{id}", h.Get)
	rt.admin("PATCH /api/v1/admin/webhooks/{id}", h.Change)
	rt.admin("DELETE /api/v1/admin/webhooks/{id}", h.Delete)
	rt.admin("POST /api/v1/admin/webhooks/{id}/secret/rotate", h.RotateSecret)
	rt.admin("POST /api/v1/admin/webhooks/{id}/test", h.Test)
	rt.admin("GET /api/v1/admin/webhooks/{id}/deliveries", h.Deliveries)
	rt.admin("POST /api/v1/admin/webhooks/{id}/replay", h.Replay)
	rt.admin("POST /api/v1/admin/webhooks/deliveries/{deliveryId}/replay", h.ReplayDelivery)
}

func (s *Server) callRoutes(rt *router) {
	h := s.calls()

	rt.call("/api/v1/shop/plugins/{slug}/api/{path...}", h.WhileCaller, h.ShopCall)
	rt.call("GET /api/v1/shop/plugins/{slug}/health", h.WhileCaller, h.ShopCall)
	rt.call("/api/extensions/plugin/{slug}/api/{path...}", h.WhileCaller, h.LegacyCall)
	rt.adminCall("/api/v1/admin/plugins/{slug}/api/{path...}", h.WhileCaller, h.AdminCall)
	rt.adminCall("/api/v1/admin/plugins/{slug}/admin/{path...}", h.WhileCaller, h.AdminCall)
}

// platformRoutes are what plugins call, with the permissions that they need.
func (s *Server) platformRoutes(rt *router, limits limit.Counter) {
	h := &platform.Handlers{
		Now: s.Now, Limits: limits, Accounts: s.Accounts, Plugins: s.Plugins, Storage: s.Storage,
		Catalog: s.Catalog, Orders: s.Orders, Licenses: s.Licenses,
	}

	rt.public("GET /api/v1/platform/config", h.Plugin(h.Config))
	rt.public("GET /api/v1/platform/products", h.Plugin(h.ListProducts, platform.ReadProducts))
	rt.public("GET /api/v1/platform/products/{slug}", h.Plugin(h.GetProduct, platform.ReadProducts))
	rt.public("GET /api/v1/platform/orders", h.Plugin(h.ListOrders, platform.ReadOrders))
	rt.public("GET /api/v1/platform/orders/{id}", h.Plugin(h.GetOrder, platform.ReadOrders))
	rt.public("GET /api/v1/platform/licenses", h.Plugin(h.ListLicenses, platform.ReadLicenses))
	rt.public("GET /api/v1/platform/licenses/{id}", h.Plugin(h.GetLicense, platform.ReadLicenses))
	rt.public("GET /api/v1/platform/users", h.Plugin(h.ListUsers, platform.ReadUsers))
	rt.public("GET /api/v1/platform/users/{id}", h.Plugin(h.GetUser, platform.ReadUsers))
	rt.public("GET /api/v1/platform/storage", h.Plugin(h.ListKeys, platform.ReadStorage))
	rt.public("GET /api/v1/platform/storage/{key}", h.Plugin(h.GetValue, platform.ReadStorage))
	rt.public("PUT /api/v1/platform/storage/{key}", h.Plugin(h.PutValue, platform.WriteStorage))
	rt.public("DELETE /api/v1/platform/storage/{key}", h.Plugin(h.DeleteValue, platform.WriteStorage))
	rt.public("POST /api/v1/platform/events", h.Plugin(h.PublishEvent, platform.PublishEvents))
}

func (s *Server) calls() *relay.Handlers {
	return &relay.Handlers{
		Auth: s.Auth, Recheck: s.Recheck, Gateway: s.Gateway, Themes: s.Themes, ClientIP: s.ClientIP,
	}
}
