package httpapi

import (
	"context"

	"stoa/internal/httpapi/storefront"
	"stoa/internal/httpapi/web"
	pages "stoa/internal/storefront"
)

// storefrontRoutes are the pages of the shop, which give way to an active theme app.
func (s *Server) storefrontRoutes(rt *router) {
	h := &storefront.Handlers{
		Pages: s.Storefront, Catalog: s.Catalog, Reviews: s.Reviews, Releases: s.Releases,
		Site: func(ctx context.Context) pages.Site {
			return pages.Site{Name: s.Site.Name(ctx), Test: s.Orders.TestPayments(), PublicURL: s.PublicURL}
		},
	}

	rt.page("GET /{$}", web.ByReader(h.Browse, rt.noRoute))
	rt.page("GET /p/{slug}", h.Product)
	rt.page("GET /sign-in", h.App)
	rt.page("GET /checkout/{slug}/{tier}", h.App)
	rt.page("GET /orders", h.App)
	rt.page("GET /orders/{id}", h.App)
	rt.page("GET /licenses", h.App)
	rt.page("GET /licenses/{id}", h.App)
	rt.page("GET /account", h.App)
}
