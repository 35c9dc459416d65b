package httpapi

import (
	"log/slog"
	"net/http"
	"regexp"
	"slices"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/extension/theme"
	"stoa/internal/html/pages"
)

// orderID is the form of an order's id.
var orderID = regexp.MustCompile(`^[a-z][a-z0-9]{23}$`)

// toOrder redirects buyers who return from the payment provider's page to their order, whether it exists
// or not. Without an order in the URL, and while a theme app serves the shop's pages, they get page.
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

// orAway answers people with a page instead of an error while the shop's theme app does not answer.
func (s *Server) orAway(root themeApp) themeApp {
	page := s.page(pages.Site.Away)
	away := []errs.Kind{errs.Unreachable, errs.Busy, errs.Timeout}
	return func(w http.ResponseWriter, r *http.Request, ownPage bool) (bool, error) {
		served, err := root(w, r, ownPage)
		kind := errs.KindOf(err)
		if err == nil || !slices.Contains(away, kind) || !web.WantsHTML(r) {
			return served, err
		}
		s.Log.WarnContext(r.Context(), "the shop's theme app does not answer", slog.Any("err", err))
		w.Header().Set("Retry-After", "5")
		return true, web.FailureHTML(web.Status(kind), page)(w, r)
	}
}
