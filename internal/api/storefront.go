package httpapi

import (
	"context"
	"net/http"
	"regexp"

	"stoa/internal/api/storefront"
	"stoa/internal/api/web"
	"stoa/internal/extension/theme"
	pages "stoa/internal/html/storefront"
)

// storefrontRoutes are the pages of the shop, which give way to an active theme app.
func (s *Server) storefrontRoutes(rt *router) {
	h := &storefront.Handlers{
		Pages: s.Storefront, Catalog: s.Catalog, Reviews: s.Reviews, Releases: s.Releases,
		Site: func(ctx context.Context) pages.Site {
			set := s.Site.Shown(ctx)
			return pages.Site{
				Name: set.Name, Test: s.Orders.TestPayments(), PublicURL: s.PublicURL,
				SupportEmail: set.SupportEmail, SupportURL: set.SupportURL, TermsURL: set.TermsURL, PrivacyURL: set.PrivacyURL,
			}
		},
	}

	rt.page("GET /{$}", web.ByReader(h.Browse, rt.noRoute))
	rt.page("GET /p/{slug}", h.Product)
	rt.page("GET /sign-in", h.App)
	rt.page("GET /checkout/{slug}/{tier}", h.Checkout)
	rt.page("GET /orders", h.App)
	rt.page("GET /orders/{id}", h.Order)
	rt.page("GET /licenses", h.App)
	rt.page("GET /licenses/{id}", h.App)
	rt.page("GET /account", h.App)
}

// orderID is the form of an order's id.
var orderID = regexp.MustCompile(`^[a-z][a-z0-9]{23}$`)

// toOrder sends buyers who return from the payment provider's page on to their order,
// which may exist or not. Without an order in the address, and while a theme app has the
// shop's pages, they get page.
func (s *Server) toOrder(payment string, page web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		id := r.URL.Query().Get("order")
		if !orderID.MatchString(id) {
			return page(w, r)
		}
		if _, active, err := s.Themes.ActiveApp(r.Context(), theme.Shop); err != nil || active {
			return page(w, r) // it needs no database
		}
		web.NoStore(w)
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Location", "/orders/"+id+"?payment="+payment)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
}
