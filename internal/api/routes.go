package httpapi

import (
	"slices"

	"stoa/internal/api/admin"
	"stoa/internal/api/auth"
	"stoa/internal/api/extension"
	"stoa/internal/api/limit"
	"stoa/internal/api/market"
	"stoa/internal/api/platform"
	"stoa/internal/api/plugincall"
	"stoa/internal/api/shop"
	"stoa/internal/api/storefront"
	"stoa/internal/api/themes"
	"stoa/internal/api/web"
	"stoa/internal/api/webhooks"
	"stoa/internal/base/permission"
	"stoa/internal/html/pages"
)

// list is every route of stoa. A row says who may call a route, what serves it, and what else is
// true of it: its rate limit, whether it honors Idempotency-Key, its time limit if it has one of its
// own, the permissions that its caller needs (see route). A test compares the list with
// api/openapi.yaml.
func (s *Server) list(h handlers) []route {
	return slices.Concat(
		s.ownRoutes(h.account), storefrontRoutes(h.storefront),
		accountRoutes(h.account), shopRoutes(h.shop),
		adminRoutes(h.admin), staffRoutes(h.admin), extensionRoutes(h.extension), themeRoutes(h.theme),
		webhookRoutes(h.webhook), marketRoutes(h.market), platformRoutes(h.platform), callRoutes(h.call, h.themeApp),
	)
}

// The process, the contract, and the pages that are stoa's own under every theme.
func (s *Server) ownRoutes(account *auth.Handlers) []route {
	console := account.BeforeConsole(s.console())
	return []route{
		at("GET /livez", anyone, s.livez),
		at("GET /readyz", anyone, s.readyz),
		at("GET /openapi.json", anyone, openapi),
		at("GET /docs", anyone, docs(s.PublicURL)),
		at("GET /console", anyone, console),
		at("GET /console/{path...}", anyone, console),
		at("GET /console/plugin-frame", anyone, s.html(pages.Site.PluginFrame)),
		at("GET /assets/{language}/{file}", anyone, s.asset),
		at("GET /setup", anyone, account.SetupPage(s.html(pages.Site.Setup), s.failure(pages.Site.SetupDone))),
		at("GET /register", anyone, s.html(pages.Site.Register)),
		// The targets of links in mails.
		at("GET /sign-up", anyone, s.html(pages.Site.SignUp)),
		at("GET /sign-in/link", anyone, s.html(pages.Site.SignInLink)),
		at("GET /reset-password", anyone, s.html(pages.Site.Reset)),
		at("GET /verify-email", anyone, s.html(pages.Site.VerifyEmail)),
		at("GET /disown", anyone, s.html(pages.Site.Disown)),
		at("GET /change-email", anyone, s.html(pages.Site.ChangeEmail)),
		at("GET /revert-email", anyone, s.html(pages.Site.RevertEmail)),
		at("GET /not-me", anyone, s.html(pages.Site.NotMe)),
		at("GET /keep-second-factor", anyone, s.html(pages.Site.KeepFactor)),
		at("GET /invitation", anyone, s.html(pages.Site.Invitation)),
		at("GET /keep-account", anyone, s.html(pages.Site.KeepAccount)),
		at("GET /claim-orders", anyone, s.html(pages.Site.Claim)),
		// Where buyers return from the payment provider's page. Neither the pages nor the
		// redirects show anything of the order: the address proves nothing.
		at("GET /payment/success", anyone, s.toOrder("success", s.html(pages.Site.Paid))),
		at("GET /payment/cancelled", anyone, s.toOrder("cancelled", s.html(pages.Site.NotPaid))),
	}
}

// Pages of the storefront.
func storefrontRoutes(h *storefront.Handlers) []route {
	return []route{
		at("GET /{$}", anyone, web.UnlessJSON(h.Browse, noRoute), shopPage),
		at("GET /p/{slug}", anyone, h.Product, shopPage),
		at("GET /sign-in", anyone, h.App, shopPage),
		at("GET /sign-in/continue", anyone, h.App, shopPage),
		at("GET /checkout/{slug}/{tier}", anyone, h.Checkout, shopPage),
		at("GET /orders", anyone, h.App, shopPage),
		at("GET /orders/{id}", anyone, h.Order, shopPage),
		// Where test payments are managed, also with a theme app: it is for live payments, which need no such page.
		at("GET /payment/portal/{id}", anyone, h.App),
		at("GET /licenses", anyone, h.App, shopPage),
		at("GET /licenses/{id}", anyone, h.App, shopPage),
		at("GET /account", anyone, h.App, shopPage),
		at("GET /account/sign-in", anyone, h.App, shopPage),
		at("GET /account/second-step", anyone, h.App, shopPage),
		at("GET /account/devices", anyone, h.App, shopPage),
		at("GET /account/data", anyone, h.App, shopPage),
	}
}

// Accounts: signing in and out, sessions, passwords, the set-up of the first administrator.
func accountRoutes(h *auth.Handlers) []route {
	return []route{
		at("POST /auth/register", anyone, h.Register, perAddress(limit.Register)),
		at("POST /auth/login", anyone, h.Login, perAddress(limit.Login), counts(limit.LoginAccount)),
		at("POST /auth/login/second-factor", anyone, h.SecondStep, perAddress(limit.SecondFactor), unkept),
		at("POST /auth/login/second-factor/options", anyone, h.SecondStepOptions, perAddress(limit.SecondFactor), unkept),
		at("POST /auth/login/passkey/options", anyone, h.PasskeyOptions, perAddress(limit.PasskeyOptions), unkept),
		at("POST /auth/login/passkey", anyone, h.PasskeyLogin, perAddress(limit.Passkey), unkept),
		at("POST /auth/login/email", anyone, h.MailSignIn, perAddress(limit.EmailSignIn), unkept),
		at("POST /auth/login/email/complete", anyone, h.MailLogin, perAddress(limit.MailToken), unkept),
		at("POST /auth/invitations/lookup", anyone, h.LookUpInvitation, perAddress(limit.MailToken), unkept),
		at("POST /auth/invitations/accept", guestsToo, h.AcceptInvitation, perAddress(limit.MailToken), unkept),
		at("POST /auth/oidc/{slug}/start", guestsToo, h.BeginFlow, perAddress(limit.OIDC), unkept),
		at("GET /auth/oidc/{slug}/callback", anyone, h.ArriveFlow, perAddress(limit.OIDC), unkept),
		at("POST /auth/oidc/complete", guestsToo, h.CompleteFlow, perAddress(limit.OIDC), unkept),
		at("POST /auth/oidc/email-proof", guestsToo, h.ProveFlow, perAddress(limit.OIDC), unkept),
		at("GET /auth/identities", users, h.ListIdentities, unkept),
		at("DELETE /auth/identities/{id}", users, h.RemoveIdentity, perUser(limit.Factors), recently, unkept),
		at("GET /auth/me", usersByHandler, h.Me, counts(limit.Me)),
		at("GET /auth/language", users, h.Language, unkept),
		at("PUT /auth/language", users, h.ChooseLanguage, unkept),
		at("POST /auth/refresh", anyone, h.Refresh, counts(limit.Refresh), counts(limit.RefreshUnknown)),
		at("POST /auth/logout", anyone, h.Logout, ruleless, readsBearer),
		at("POST /auth/change-password", users, h.ChangePassword, perUser(limit.ChangePassword)),
		at("POST /auth/forgot-password", anyone, h.ForgotPassword, perAddress(limit.ForgotPassword)),
		at("POST /auth/reset-password", anyone, h.ResetPassword, perAddress(limit.ResetPassword)),
		at("POST /auth/setup", anyone, h.SetUp, perAddress(limit.SetUp)),
		at("GET /auth/methods", anyone, h.Methods, unkept),
		at("POST /auth/sign-up", anyone, h.SignUp, perAddress(limit.SignUp), unkept),
		at("POST /auth/sign-up/complete", anyone, h.CompleteSignUp, perAddress(limit.MailToken), unkept),
		at("GET /auth/account", users, h.Account, unkept),
		at("POST /auth/account/export", users, h.StartExport, counts(limit.Export), recently, unkept),
		at("GET /auth/account/export", users, h.ShowExport, unkept),
		at("GET /auth/account/export/{id}/archive", users, h.ExportArchive, recently, unkept, forUserOnly),
		at("POST /auth/account/deletion", users, h.PlanDeletion, perUser(limit.Factors), recently, unkept),
		at("POST /auth/account/deletion/cancel", anyone, h.CancelDeletion, perAddress(limit.MailToken), unkept),
		at("POST /auth/reauthenticate", users, h.Reauthenticate, perUser(limit.Reauthenticate), counts(limit.LoginAccount),
			unkept),
		at("POST /auth/reauthenticate/options", users, h.ReauthenticateOptions, perUser(limit.Reauthenticate), unkept),
		at("POST /auth/reauthenticate/email", users, h.MailProof, perUser(limit.Reauthenticate), unkept),
		at("POST /auth/email/verification", users, h.RequestProof, perUser(limit.Factors), unkept),
		at("POST /auth/email/verify", users, h.VerifyEmail, perAddress(limit.MailToken), unkept),
		at("POST /auth/email/disown", anyone, h.DisownEmail, perAddress(limit.MailToken), unkept),
		at("POST /auth/email/change", users, h.ChangeEmail, perUser(limit.Factors), recently, unkept),
		at("POST /auth/email/change/confirm", users, h.ConfirmEmail, perAddress(limit.MailToken), unkept),
		at("DELETE /auth/email/change", users, h.CancelEmailChange, unkept),
		at("POST /auth/email/change/revert", anyone, h.RevertEmail, perAddress(limit.MailToken), unkept),
		at("POST /auth/password", users, h.SetPassword, perUser(limit.Factors), recently, unkept),
		at("DELETE /auth/password", users, h.RemovePassword, perUser(limit.Factors), recently, unkept),
		at("POST /auth/totp", users, h.SetUpTOTP, perUser(limit.Factors), recently, unkept),
		at("POST /auth/totp/confirm", users, h.ConfirmTOTP, perUser(limit.Factors), recently, unkept),
		at("DELETE /auth/totp", users, h.RemoveTOTP, perUser(limit.Factors), recently, unkept),
		at("GET /auth/passkeys", users, h.ListPasskeys, unkept),
		at("POST /auth/passkeys/options", users, h.NewPasskeyOptions, perUser(limit.Factors), recently, unkept),
		at("POST /auth/passkeys", users, h.AddPasskey, perUser(limit.Factors), recently, then(h.CheckProven), unkept),
		at("PATCH /auth/passkeys/{id}", users, h.RenamePasskey, unkept),
		at("DELETE /auth/passkeys/{id}", users, h.RemovePasskey, perUser(limit.Factors), recently, unkept),
		at("POST /auth/recovery-codes", users, h.NewRecoveryCodes, perUser(limit.Factors), recently, unkept),
		at("DELETE /auth/second-factor", users, h.RemoveFactors, perUser(limit.Factors), recently, unkept),
		at("POST /auth/second-factor/not-me", anyone, h.UndoFactor, perAddress(limit.MailToken), unkept),
		at("POST /auth/second-factor/reset/cancel", anyone, h.KeepFactors, perAddress(limit.MailToken), unkept),
		at("GET /auth/api-keys", users, h.ListKeys, unkept),
		at("POST /auth/api-keys", users, h.CreateKey, perUser(limit.Factors), recently, unkept,
			first(withFactor), then(h.CheckProven)), // keys are asked for no factor
		at("PATCH /auth/api-keys/{id}", users, h.RenameKey, unkept),
		at("DELETE /auth/api-keys/{id}", users, h.RevokeKey, unkept),
		at("POST /auth/api-keys/{id}/rotate", users, h.RotateKey, perUser(limit.Factors), recently, unkept,
			first(withFactor)),
		at("GET /auth/sessions", users, h.ListSessions),
		at("GET /auth/activity", users, h.ListActivity, unkept),
		at("DELETE /auth/sessions", users, h.EndOtherSessions, endsSessions, unkept),
		at("DELETE /auth/sessions/{id}", users, h.EndSession, endsSessions),
		at("GET /.well-known/jwks.json", anyone, h.JWKS),
	}
}

// The marketplace, for buyers and for apps that check their licenses.
func shopRoutes(h *shop.Handlers) []route {
	return []route{
		at("GET /api/v1/shop/settings", anyone, h.Settings),
		at("GET /api/marketplace/products", anyone, h.ListProducts),
		at("GET /api/marketplace/products/{slug}", anyone, h.GetProduct),
		at("GET /api/marketplace/products/{slug}/price", anyone, h.Price, counts(limit.Discount)),
		at("POST /api/marketplace/products/{slug}/purchase", guestsToo, h.Purchase, perBuyer(limit.Purchase),
			counts(limit.Discount), withKey, speaks),
		at("POST /api/marketplace/products/{slug}/trial", guestsToo, h.StartTrial, perAddress(limit.Trial), withKey, speaks),
		at("POST /api/marketplace/products/{slug}/activate", anyone, h.Activate, withKey),
		at("POST /api/marketplace/products/{slug}/deactivate", anyone, h.Deactivate),
		at("GET /api/marketplace/licenses", users, h.ListLicenses),
		at("GET /api/marketplace/licenses/{id}", users, h.GetLicense),
		at("GET /api/marketplace/licenses/{id}/product", users, h.GetLicenseProduct),
		at("GET /api/marketplace/licenses/{id}/activations", users, h.ListActivations),
		at("DELETE /api/marketplace/licenses/{id}/activations/{instanceId}", users, h.FreeActivation),
		at("POST /api/marketplace/licenses/{id}/change", users, h.ChangePlan, perUser(limit.Purchase), byUserOnly, withKey,
			speaks),
		at("POST /api/marketplace/licenses/{id}/renew", users, h.RenewLicense, perUser(limit.Purchase),
			counts(limit.Discount), byUserOnly, withKey, speaks),
		at("GET /api/marketplace/products/{slug}/license/verify", anyone, h.Verify),
		at("GET /api/marketplace/products/{slug}/license/lease", anyone, h.Lease),
		at("GET /api/marketplace/license-keys", anyone, h.LicenseKeys),
		at("GET /api/marketplace/orders", users, h.ListOrders),
		at("GET /api/marketplace/orders/{id}", users, h.GetOrder),
		at("POST /api/marketplace/orders/{id}/lookup", anyone, h.LookUpOrder),
		at("POST /api/marketplace/orders/{id}/end-subscription", users, h.EndSubscription, byUserOnly),
		at("POST /api/marketplace/orders/{id}/portal", users, h.OpenPortal, byUserOnly),
		at("POST /api/marketplace/orders/{id}/refund", users, h.TakeBackOrder, byUserOnly, withKey),
		at("POST /api/marketplace/orders/claim-request", users, h.RequestClaim, perUser(limit.ClaimRequest), byUserOnly,
			speaks),
		at("POST /api/marketplace/orders/claim", users, h.ClaimOrders, perUser(limit.Claim), byUserOnly),
		at("POST /api/marketplace/orders/claim-link", anyone, h.OpenClaimLink, perAddress(limit.ClaimLink)),
		at("POST /api/marketplace/payments/stripe/webhook", anyone, h.StripeWebhook),
		at("GET /api/marketplace/products/{slug}/reviews", anyone, h.ListReviews),
		at("POST /api/marketplace/products/{slug}/reviews", users, h.WriteReview, byUserOnly),
		at("DELETE /api/marketplace/products/{slug}/reviews", users, h.WithdrawReview, byUserOnly),
		at("GET /media/{file}", anyone, h.ServeMedia),
	}
}

// The market, for other stoas. Without one, these addresses are unknown (Server.routes).
func marketRoutes(h *market.Handlers) []route {
	return []route{
		at("GET /api/market/v1/tuf/{file}", anyone, h.Metadata),
		at("GET /api/market/v1/targets/{path...}", anyone, h.Target, counts(limit.MarketPackage), within(installTimeout)),
		at("GET /api/market/v1/packages/{slug}/{version}", anyone, h.Package, counts(limit.MarketPackage),
			within(installTimeout)),
		at("POST /api/market/v1/handoffs", anyone, h.BeginHandoff, perAddress(limit.Handoff)),
		at("GET /api/market/v1/handoffs/{id}", anyone, h.GetHandoff),
		at("POST /api/market/v1/handoffs/{id}/claim", anyone, h.ClaimHandoff, counts(limit.HandoffSecret)),
		at("POST /api/market/v1/trials", anyone, h.StartTrial, perAddress(limit.MarketTrial), withKey, speaks),
	}
}

// Administration of the shop and of people.
func adminRoutes(h *admin.Handlers) []route {
	return []route{
		may("POST /api/v1/admin/search", permission.Any, h.Search),
		may("GET /api/v1/admin/overview", permission.ReadOverview, h.ShowOverview),
		may("GET /api/v1/admin/reports/revenue", permission.ReadReports, h.ReportRevenue),
		may("GET /api/v1/admin/reports/revenue.csv", permission.ReadReports, h.RevenueCSV, lasting),
		may("GET /api/v1/admin/reports/subscriptions", permission.ReadReports, h.ReportSubscriptions),
		may("GET /api/v1/admin/system", permission.ReadSystem, h.DescribeSystem),
		may("POST /api/v1/admin/keys/rotate", permission.RotateKeys, h.RotateKeys, guarded),
		may("GET /api/v1/admin/settings", permission.ReadSettings, h.GetSettings),
		may("PATCH /api/v1/admin/settings", permission.WriteSettings, h.ChangeSettings, guarded),
		may("GET /api/v1/admin/users", permission.ReadUsers, h.ListUsers),
		may("GET /api/v1/admin/users.csv", permission.ReadUsers, h.UsersCSV, lasting),
		may("GET /api/v1/admin/users/{id}", permission.ReadUsers, h.GetUser),
		may("PATCH /api/v1/admin/users/{id}", permission.WriteUsers, h.ChangeUser, orMay(permission.WriteStaff), guarded),
		may("GET /api/v1/admin/users/{id}/sessions", permission.ReadUsers, h.ListSessions),
		may("DELETE /api/v1/admin/users/{id}/sessions", permission.EndSessions, h.EndSessions),
		may("DELETE /api/v1/admin/users/{id}/sessions/{sessionId}", permission.EndSessions, h.EndSession),
		may("POST /api/v1/admin/users/{id}/second-factor/reset", permission.SecureUsers, h.PlanFactorReset, recently, unkept),
		may("POST /api/v1/admin/users/{id}/password-reset", permission.SecureUsers, h.MailReset, recently, unkept),
		may("POST /api/v1/admin/users/{id}/email/revert", permission.SecureUsers, h.RevertEmail, recently, unkept),
		may("DELETE /api/v1/admin/users/{id}/second-factor/reset", permission.SecureUsers, h.CancelFactorReset, unkept),
		may("POST /api/v1/admin/users/{id}/export", permission.ExportUsers, h.ExportUser, recently, unkept),
		may("GET /api/v1/admin/users/{id}/export/{exportId}/archive", permission.ExportUsers, h.ExportArchive, recently,
			unkept),
		may("POST /api/v1/admin/users/{id}/erase", permission.EraseUsers, h.EraseUser, recently, unkept),
		may("GET /api/v1/admin/licenses", permission.ReadLicenses, h.ListLicenses),
		may("GET /api/v1/admin/licenses.csv", permission.ReadLicenses, h.LicensesCSV, lasting),
		may("POST /api/v1/admin/licenses", permission.GrantLicenses, h.GrantLicense),
		may("POST /api/v1/admin/licenses/lookup", permission.ReadLicenses, h.LookUpLicense),
		may("GET /api/v1/admin/licenses/{id}", permission.ReadLicenses, h.GetLicense),
		may("PATCH /api/v1/admin/licenses/{id}", permission.WriteLicenses, h.ChangeLicense),
		may("POST /api/v1/admin/licenses/{id}/renew", permission.GrantLicenses, h.RenewLicense),
		may("POST /api/v1/admin/licenses/{id}/revoke", permission.RevokeLicenses, h.RevokeLicense, guarded),
		may("GET /api/v1/admin/licenses/{id}/activations", permission.ReadLicenses, h.ListActivations),
		may("DELETE /api/v1/admin/licenses/{id}/activations/{instanceId}", permission.FreeSeats, h.FreeActivation),
		may("GET /api/v1/admin/orders", permission.ReadOrders, h.ListOrders),
		may("GET /api/v1/admin/orders.csv", permission.ReadOrders, h.OrdersCSV, lasting),
		may("GET /api/v1/admin/orders/{id}", permission.ReadOrders, h.GetOrder),
		may("POST /api/v1/admin/orders/{id}/refund", permission.RefundOrders, h.RefundOrder, withKey, guarded),
		may("POST /api/v1/admin/orders/{id}/cancel", permission.CancelOrders, h.CancelOrder, guarded),
		may("GET /api/v1/admin/discounts", permission.ReadDiscounts, h.ListDiscounts),
		may("POST /api/v1/admin/discounts", permission.WriteDiscounts, h.CreateDiscount),
		may("GET /api/v1/admin/discounts/{id}", permission.ReadDiscounts, h.GetDiscount),
		may("PATCH /api/v1/admin/discounts/{id}", permission.WriteDiscounts, h.ChangeDiscount),
		may("DELETE /api/v1/admin/discounts/{id}", permission.WriteDiscounts, h.DeleteDiscount),
		may("GET /api/v1/admin/mail-templates", permission.ReadTemplates, h.ListTemplates),
		may("GET /api/v1/admin/mail-templates/{kind}/{lang}", permission.ReadTemplates, h.GetTemplate),
		may("PUT /api/v1/admin/mail-templates/{kind}/{lang}", permission.WriteTemplates, h.PutTemplate),
		may("DELETE /api/v1/admin/mail-templates/{kind}/{lang}", permission.WriteTemplates, h.DeleteTemplate),
		may("POST /api/v1/admin/mail-templates/{kind}/{lang}/preview", permission.ReadTemplates, h.PreviewTemplate),
		may("POST /api/v1/admin/mail-templates/{kind}/{lang}/test", permission.WriteTemplates, h.TestTemplate),
		may("GET /api/v1/admin/reviews", permission.ReadReviews, h.ListReviews),
		may("PATCH /api/v1/admin/reviews/{id}", permission.ModerateReviews, h.HideReview),
		may("DELETE /api/v1/admin/reviews/{id}", permission.ModerateReviews, h.RemoveReview),
		may("GET /api/v1/admin/audit", permission.ReadAudit, h.ListAudit, orMay(permission.ReadCustomerAudit)),
		may("GET /api/v1/admin/products", permission.ReadProducts, h.ListProducts),
		may("POST /api/v1/admin/products", permission.WriteProducts, h.CreateProduct),
		may("GET /api/v1/admin/products/{slug}", permission.ReadProducts, h.GetProduct),
		may("GET /api/v1/admin/products/{slug}/preview", permission.ReadProducts, h.PreviewProduct),
		may("PATCH /api/v1/admin/products/{slug}", permission.WriteProducts, h.ChangeProduct),
		may("POST /api/v1/admin/markdown", permission.WriteProducts, h.ReadMarkdown),
		may("DELETE /api/v1/admin/products/{slug}", permission.WriteProducts, h.DeleteProduct),
		may("GET /api/v1/admin/media", permission.ReadProducts, h.ListMedia),
		may("POST /api/v1/admin/media", permission.WriteMedia, h.UploadMedia, within(fileTimeout)),
		may("DELETE /api/v1/admin/media/{file}", permission.WriteMedia, h.DeleteMedia),
		may("GET /api/v1/admin/catalog", permission.ReadProducts, h.ExportCatalog),
		may("POST /api/v1/admin/catalog", permission.WriteProducts, h.ImportCatalog, within(fileTimeout)),
	}
}

// Administration of who runs the platform, of ways in, and of keys.
func staffRoutes(h *admin.Handlers) []route {
	return []route{
		may("GET /api/v1/admin/staff", permission.ReadStaff, h.ListStaff),
		may("GET /api/v1/admin/permissions", permission.ReadStaff, h.ListPermissions, unkept),
		may("GET /api/v1/admin/roles", permission.ReadStaff, h.ListRoles, unkept),
		may("GET /api/v1/admin/roles/{name}", permission.ReadStaff, h.GetRole, unkept),
		may("POST /api/v1/admin/roles", permission.WriteStaff, h.CreateRole, recently, unkept),
		may("PATCH /api/v1/admin/roles/{name}", permission.WriteStaff, h.ChangeRole, recently, unkept),
		may("DELETE /api/v1/admin/roles/{name}", permission.WriteStaff, h.DeleteRole, recently, unkept),
		may("POST /api/v1/admin/users/{id}/impersonate", permission.Impersonate, h.Impersonate, recently, unkept,
			first(h.CheckImpersonation)),
		may("GET /api/v1/admin/impersonations", permission.Impersonate, h.ListImpersonations, unkept),
		may("DELETE /api/v1/admin/impersonations/{id}", permission.Impersonate, h.EndImpersonation, unkept),
		may("GET /api/v1/admin/invitations", permission.ReadStaff, h.ListInvitations, unkept),
		may("POST /api/v1/admin/invitations", permission.WriteStaff, h.Invite, perUser(limit.Invitation), recently, unkept),
		may("DELETE /api/v1/admin/invitations/{id}", permission.WriteStaff, h.RevokeInvitation, recently, unkept),
		may("GET /api/v1/admin/sign-in-settings", permission.WriteSignIn, h.GetSignInSettings, unkept),
		may("PATCH /api/v1/admin/sign-in-settings", permission.WriteSignIn, h.ChangeSignInSettings, recently, unkept),
		may("GET /api/v1/admin/identity-providers", permission.WriteSignIn, h.ListProviders),
		may("GET /api/v1/admin/identity-providers/{slug}", permission.WriteSignIn, h.GetProvider),
		may("PUT /api/v1/admin/identity-providers/{slug}", permission.WriteSignIn, h.PutProvider, recently, unkept),
		may("DELETE /api/v1/admin/identity-providers/{slug}", permission.WriteSignIn, h.DeleteProvider, recently, unkept),
		may("POST /api/v1/admin/identity-providers/{slug}/test", permission.WriteSignIn, h.TestProvider, recently, unkept),
		may("GET /api/v1/admin/api-keys", permission.AdminKeys, h.ListAPIKeys, unkept),
		may("GET /api/v1/admin/api-keys/{id}", permission.AdminKeys, h.GetAPIKey, unkept),
		may("DELETE /api/v1/admin/api-keys/{id}", permission.AdminKeys, h.RevokeAPIKey, recently, unkept),
		may("GET /api/v1/admin/service-accounts", permission.AdminKeys, h.ListServiceAccounts, unkept),
		may("POST /api/v1/admin/service-accounts", permission.AdminKeys, h.CreateServiceAccount, recently, unkept),
		may("DELETE /api/v1/admin/service-accounts/{id}", permission.AdminKeys, h.DeleteServiceAccount, recently, unkept),
		may("GET /api/v1/admin/service-accounts/{id}/keys", permission.AdminKeys, h.ListServiceKeys, unkept),
		may("POST /api/v1/admin/service-accounts/{id}/keys", permission.AdminKeys, h.CreateServiceKey, recently, unkept),
		may("PATCH /api/v1/admin/service-accounts/{id}/keys/{keyId}", permission.AdminKeys, h.RenameServiceKey, recently,
			unkept),
		may("DELETE /api/v1/admin/service-accounts/{id}/keys/{keyId}", permission.AdminKeys, h.RevokeServiceKey, recently,
			unkept),
		may("POST /api/v1/admin/service-accounts/{id}/keys/{keyId}/rotate", permission.AdminKeys, h.RotateServiceKey,
			recently, unkept),
	}
}

// Administration of packages of every kind, and of plugins.
func extensionRoutes(h *extension.Handlers) []route {
	return []route{
		may("POST /api/v1/admin/extensions/{kind}/install", permission.InstallExtensions, h.Install, within(installTimeout),
			withKeyByHandler, guarded),
		may("PUT /api/v1/admin/products/{slug}/package", permission.PublishPackages, h.PublishPackage,
			within(installTimeout)),
		may("GET /api/v1/admin/products/{slug}/packages", permission.ReadProducts, h.PublishedVersions),
		may("DELETE /api/v1/admin/products/{slug}/packages/{version}", permission.PublishPackages, h.WithdrawVersion),
		may("POST /api/v1/admin/market/{slug}/install", permission.InstallExtensions, h.InstallFromMarket,
			within(installTimeout), withKey, guarded),
		may("GET /api/v1/admin/market/updates", permission.ReadExtensions, h.MarketUpdates),
		may("GET /api/v1/admin/markets", permission.ReadMarkets, h.ListMarkets),
		may("POST /api/v1/admin/markets", permission.WriteMarkets, h.AddMarket, within(marketTimeout), recently),
		may("DELETE /api/v1/admin/markets/{market}", permission.WriteMarkets, h.RemoveMarket, recently),
		may("POST /api/v1/admin/markets/{market}/check", permission.WriteMarkets, h.CheckMarket, within(marketTimeout),
			recently),
		may("GET /api/v1/admin/markets/{market}/products", permission.ReadMarkets, h.MarketProducts,
			within(marketTimeout)),
		may("GET /api/v1/admin/markets/{market}/products/{slug}", permission.ReadMarkets, h.MarketProduct,
			within(marketTimeout)),
		may("POST /api/v1/admin/markets/{market}/products/{slug}/install", permission.InstallExtensions, h.InstallProduct,
			within(installTimeout), withKey, guarded),
		may("POST /api/v1/admin/markets/{market}/purchases", permission.InstallExtensions, h.BuyFromMarket,
			within(marketTimeout), withKey, guarded),
		may("POST /api/v1/admin/markets/{market}/trials", permission.InstallExtensions, h.TryFromMarket,
			within(marketTimeout), withKey, guarded),
		may("GET /api/v1/admin/market-operations", permission.ReadMarkets, h.ListOperations),
		may("GET /api/v1/admin/market-operations/{id}", permission.ReadMarkets, h.GetOperation),
		may("DELETE /api/v1/admin/market-operations/{id}", permission.InstallExtensions, h.EndOperation),
		may("GET /api/v1/admin/market-operations/{id}/events", permission.ReadMarkets, h.FollowOperation, lasting),
		may("GET /api/v1/admin/extensions", permission.ReadExtensions, h.List),
		may("GET /api/v1/admin/extensions/{kind}", permission.ReadExtensions, h.List),
		may("GET /api/v1/admin/themes", permission.ReadThemes, h.ListThemes),
		may("GET /api/v1/admin/extensions/{kind}/{slug}", permission.ReadExtensions, h.Get),
		may("DELETE /api/v1/admin/extensions/{kind}/{slug}", permission.InstallExtensions, h.Uninstall, guarded),
		may("GET /api/v1/admin/extensions/{kind}/{slug}/archive", permission.ReadExtensions, h.Archive,
			within(installTimeout)),
		may("GET /api/v1/admin/extensions/{kind}/{slug}/files", permission.ReadExtensions, h.Files),
		may("POST /api/v1/admin/extensions/{kind}/{slug}/license/check", permission.InstallExtensions, h.CheckLicense,
			within(marketTimeout)),
		may("GET /api/v1/admin/plugins/{slug}", permission.ReadExtensions, h.GetPlugin),
		may("PATCH /api/v1/admin/plugins/{slug}", permission.ConfigureExtension, h.ChangePlugin),
		may("DELETE /api/v1/admin/plugins/{slug}", permission.InstallExtensions, h.UninstallPlugin, guarded),
		may("POST /api/v1/admin/plugins/{slug}/rollback", permission.InstallExtensions, h.Rollback),
		may("POST /api/v1/admin/plugins/{slug}/license/check", permission.InstallExtensions, h.CheckPluginLicense,
			within(marketTimeout)),
		may("POST /api/v1/admin/plugins/{slug}/restore", permission.InstallExtensions, h.Restore),
		may("GET /api/v1/admin/plugins/{slug}/secret", permission.ReadSecrets, h.GetSecret, guarded),
		may("POST /api/v1/admin/plugins/{slug}/secret/rotate", permission.ReadSecrets, h.RotateSecret, guarded),
		may("GET /api/v1/admin/traffic", permission.ReadOverview, h.AllTraffic),
		may("GET /api/v1/admin/plugins/{slug}/traffic", permission.ReadOverview, h.PluginTraffic),
		may("GET /api/v1/admin/plugins/{slug}/hooks", permission.ReadDeliveries, h.ListHooks),
		may("POST /api/v1/admin/plugins/{slug}/hooks/replay", permission.ReplayDeliveries, h.ReplayDeadHooks),
		may("GET /api/v1/admin/hooks", permission.ReadDeliveries, h.ListAllHooks),
		may("POST /api/v1/admin/hooks/replay", permission.ReplayDeliveries, h.ReplayAllDeadHooks),
		may("POST /api/v1/admin/hooks/{deliveryId}/replay", permission.ReplayDeliveries, h.ReplayHook),
		may("GET /api/v1/admin/plugins/{slug}/instances", permission.ReadExtensions, h.ListInstances),
		may("POST /api/v1/admin/plugins/{slug}/instances", permission.ConfigureExtension, h.CreateInstance, withKey),
		may("GET /api/v1/admin/plugins/{slug}/instances/{installationId}", permission.ReadExtensions, h.GetInstance),
		may("PATCH /api/v1/admin/plugins/{slug}/instances/{installationId}", permission.ConfigureExtension, h.ChangeInstance),
		may("DELETE /api/v1/admin/plugins/{slug}/instances/{installationId}", permission.ConfigureExtension,
			h.DeleteInstance),
		may("GET /api/v1/admin/plugins/{slug}/instances/{installationId}/logs", permission.ReadLogs, h.Logs, lasting),
	}
}

// Themes: which one is active, and what it is made of.
func themeRoutes(h *themes.Handlers) []route {
	return []route{
		may("GET /api/v1/admin/themes/{target}", permission.ReadThemes, h.Status),
		may("POST /api/v1/admin/themes/{target}/activate", permission.WriteThemes, h.Activate, within(appTimeout)),
		may("POST /api/v1/admin/themes/{target}/rollback", permission.WriteThemes, h.Rollback, within(appTimeout)),
		may("POST /api/v1/admin/themes/{target}/deactivate", permission.WriteThemes, h.Deactivate),
		at("GET /api/v1/shop/themes/active", anyone, h.Active),
		at("GET /api/v1/shop/theme-extensions/blocks", anyone, h.Blocks),
		at("GET /api/v1/shop/theme-extensions/embeds", anyone, h.Embeds),
		at("GET /look/{file}", anyone, h.Look),
		at("GET /themes/{target}/{slug}/{version}/{path...}", anyone, h.File),
	}
}

// Webhooks of operators.
func webhookRoutes(h *webhooks.Handlers) []route {
	return []route{
		may("GET /api/v1/admin/webhooks", permission.ReadWebhooks, h.List),
		may("POST /api/v1/admin/webhooks", permission.WriteWebhooks, h.Create, guarded),
		may("GET /api/v1/admin/webhooks/{id}", permission.ReadWebhooks, h.Get),
		may("PATCH /api/v1/admin/webhooks/{id}", permission.WriteWebhooks, h.Change),
		may("DELETE /api/v1/admin/webhooks/{id}", permission.WriteWebhooks, h.Delete),
		may("POST /api/v1/admin/webhooks/{id}/secret/rotate", permission.WriteWebhooks, h.RotateSecret, guarded),
		may("POST /api/v1/admin/webhooks/{id}/test", permission.ReplayDeliveries, h.Test),
		may("GET /api/v1/admin/webhooks/{id}/deliveries", permission.ReadDeliveries, h.Deliveries),
		may("POST /api/v1/admin/webhooks/{id}/replay", permission.ReplayDeliveries, h.Replay),
		may("POST /api/v1/admin/webhooks/deliveries/{deliveryId}/replay", permission.ReplayDeliveries, h.ReplayDelivery),
	}
}

// The platform API, which plugins call with the token that the gateway sends them.
func platformRoutes(h *platform.Handlers) []route {
	return []route{
		at("POST /api/v1/platform/token", processes, h.Token),
		at("GET /api/v1/platform/config", plugins, h.Config),
		at("GET /api/v1/platform/license", plugins, h.License),
		at("GET /api/v1/platform/products", plugins, h.ListProducts, needs(platform.ReadProducts)),
		at("GET /api/v1/platform/products/{slug}", plugins, h.GetProduct, needs(platform.ReadProducts)),
		at("GET /api/v1/platform/orders", plugins, h.ListOrders, needs(platform.ReadOrders)),
		at("GET /api/v1/platform/orders/{id}", plugins, h.GetOrder, needs(platform.ReadOrders)),
		at("GET /api/v1/platform/licenses", plugins, h.ListLicenses, needs(platform.ReadLicenses)),
		at("GET /api/v1/platform/licenses/{id}", plugins, h.GetLicense, needs(platform.ReadLicenses)),
		at("GET /api/v1/platform/users", plugins, h.ListUsers, needs(platform.ReadUsers)),
		at("GET /api/v1/platform/users/{id}", plugins, h.GetUser, needs(platform.ReadUsers)),
		at("GET /api/v1/platform/storage", plugins, h.ListKeys, needs(platform.ReadStorage)),
		at("GET /api/v1/platform/storage/{key}", plugins, h.GetValue, needs(platform.ReadStorage), ofBytes),
		at("PUT /api/v1/platform/storage/{key}", plugins, h.PutValue, needs(platform.WriteStorage), ofBytes),
		at("DELETE /api/v1/platform/storage/{key}", plugins, h.DeleteValue, needs(platform.WriteStorage), ofBytes),
		at("POST /api/v1/platform/events", plugins, h.PublishEvent, needs(platform.PublishEvents)),
	}
}

// Calls to plugins and theme apps.
func callRoutes(h *plugincall.Handlers, app *themes.AppServer) []route {
	return []route{
		passOn("/api/v1/shop/plugins/{slug}/api/{path...}", guestsToo, h.ShopCall),
		passOn("GET /api/v1/shop/plugins/{slug}/health", guestsToo, h.ShopCall),
		passOn("/api/extensions/plugin/{slug}/api/{path...}", guestsToo, h.LegacyCall),
		passOnStaff("/api/v1/admin/plugins/{slug}/api/{path...}", h.AdminCall),
		passOnStaff("/api/v1/admin/plugins/{slug}/admin/{path...}", h.AdminCall),
		passOnStaff("GET /api/v1/admin/plugins/{slug}/admin", h.AdminCall),
		at("/theme-app/{target}/{slug}/{path...}", anyone, app.App, lasting),
	}
}
