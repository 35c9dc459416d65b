package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"stoa/internal/account"
	"stoa/internal/api/admin"
	"stoa/internal/api/auth"
	"stoa/internal/api/extension"
	"stoa/internal/api/keyed"
	"stoa/internal/api/limit"
	"stoa/internal/api/market"
	"stoa/internal/api/platform"
	"stoa/internal/api/plugincall"
	"stoa/internal/api/shop"
	"stoa/internal/api/storefront"
	"stoa/internal/api/themes"
	"stoa/internal/api/web"
	"stoa/internal/api/webhooks"
	"stoa/internal/html/pages"
	shoppages "stoa/internal/html/storefront"
)

// handlers are those of every area, for the list of routes.
type handlers struct {
	account    *auth.Handlers
	shop       *shop.Handlers
	admin      *admin.Handlers
	extension  *extension.Handlers
	theme      *themes.Handlers
	themeApp   *themes.AppServer
	webhook    *webhooks.Handlers
	call       *plugincall.Handlers
	platform   *platform.Handlers
	storefront *storefront.Handlers
	market     *market.Handlers
}

func (s *Server) handlers(limits limit.Counter, keys keyed.Requests) handlers {
	return handlers{
		account: &auth.Handlers{
			Log: s.Log, Accounts: s.Accounts, Leaving: s.Leaving, Invitations: s.Invitations, Takeout: s.Takeout, Keys: s.Keys,
			Limits: limits, ClientIP: s.ClientIP, PublicURL: s.PublicURL, Languages: s.Languages,
		},
		shop: &shop.Handlers{
			Log: s.Log, Now: s.Now, Count: s.Count, Media: s.Media, Keys: s.LicenseKeys,
			Catalog: s.Catalog, Licenses: s.Licenses, Orders: s.Orders, Reviews: s.Reviews, Releases: s.Releases,
			Site: s.Site, Accounts: s.Accounts, Discounts: s.Discounts, Limits: limits,
		},
		admin: &admin.Handlers{
			Log: s.Log, Now: s.Now, Count: s.Count, Accounts: s.Accounts, Staff: s.Staff, Invitations: s.Invitations,
			StandIns: s.StandIns, Leaving: s.Leaving, Takeout: s.Takeout, Keys: s.Keys, Audit: s.Audit,
			Catalog: s.Catalog, Licenses: s.Licenses, Orders: s.Orders, Reviews: s.Reviews, Releases: s.Releases,
			Discounts: s.Discounts, Templates: s.Templates, Site: s.Site, SignIn: s.SignIn, System: s.System,
			Overview: s.Overview, Figures: s.Figures, Lookup: s.Lookup,
		},
		extension: &extension.Handlers{
			Plugins: s.Plugins, Themes: s.Themes, Bundles: s.Bundles, Installer: s.Installer, Releases: s.Releases,
			Markets: s.Markets, Operations: s.Operations, Entitlements: s.Entitlements, Keyed: keys,
			Hooks: s.Hooks, Traffic: s.Traffic, Now: s.Now,
		},
		theme:    &themes.Handlers{Themes: s.Themes, Plugins: s.Plugins, Installer: s.Installer, Site: s.Site},
		themeApp: &themes.AppServer{Themes: s.Themes, Apps: s.Apps, ClientIP: s.ClientIP},
		webhook:  &webhooks.Handlers{Webhooks: s.Webhooks},
		call: &plugincall.Handlers{
			Auth: s.Auth, Recheck: s.Recheck, Gateway: s.Gateway, Themes: s.Themes, ClientIP: s.ClientIP,
		},
		platform: &platform.Handlers{
			Now: s.Now, Limits: limits, Accounts: s.Accounts, Plugins: s.Plugins, Storage: s.Storage,
			Catalog: s.Catalog, Orders: s.Orders, Licenses: s.Licenses,
		},
		market: &market.Handlers{
			Market: s.Market, Releases: s.Releases, Installer: s.Installer, Handoffs: s.Handoffs, Limits: limits,
			Log: s.Log, Count: s.Count,
		},
		storefront: &storefront.Handlers{
			Pages: s.Storefront, Kept: storefront.NewKept(), Generations: s.Generations, Site: s.shopSite,
			Catalog: s.Catalog, Reviews: s.Reviews, Releases: s.Releases, Languages: s.Languages,
		},
	}
}

// shopSite returns the shop's data for the pages of the storefront.
func (s *Server) shopSite(ctx context.Context) (shoppages.Site, error) {
	set, err := s.Site.Get(ctx)
	return shoppages.Site{
		Name: cmp.Or(set.Name, s.Site.DefaultName), Test: s.Orders.TestPayments(), PublicURL: s.PublicURL,
		SupportEmail: set.SupportEmail, SupportURL: set.SupportURL, TermsURL: set.TermsURL, PrivacyURL: set.PrivacyURL,
		Language: s.Languages.Default(set.Language, s.Locale),
	}, err
}

// page returns one of stoa's own pages, rendered with the shop's settings.
func (s *Server) page(render func(pages.Site) (pages.Page, error)) web.PageOf {
	return web.Rendered(func(r *http.Request) pages.Site {
		ctx := r.Context()
		rules, err := s.Accounts.Rules(ctx)
		if err != nil { // a page with the rules of a moment ago is better than none
			rules = s.Accounts.LastRules()
		}
		shown := s.Site.Shown(ctx)
		named, _ := s.Languages.Of(r)
		return pages.Site{
			Language:  cmp.Or(named, s.Languages.Default(shown.Language, s.Locale)),
			Languages: strings.Join(s.Languages.Offered(), " "),
			Name:      shown.Name, Registration: string(rules.Registration),
			PasswordLength: rules.Policy.MinLength(), NoCommonPassword: rules.Policy == account.PolicyASVS,
			Test: s.Orders.TestPayments(), Web: s.Web,
		}
	}, render)
}

// failure returns a handler that answers 404 with one of stoa's own pages.
func (s *Server) failure(render func(pages.Site) (pages.Page, error)) web.HandlerFunc {
	return web.FailureHTML(http.StatusNotFound, s.page(render))
}

// html returns a handler that serves one of stoa's own pages.
func (s *Server) html(render func(pages.Site) (pages.Page, error)) web.HandlerFunc {
	return web.HTML(s.page(render))
}
