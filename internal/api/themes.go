package httpapi

import (
	"log/slog"
	"net/http"
	"slices"

	themes "stoa/internal/api/theme"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/html/pages"
)

// themeRoutes are the routes of themes, and those that an active theme app takes over.
func (s *Server) themeRoutes(rt *router) {
	// An active theme app of the shop has every address that is not stoa's.
	front := &themes.Front{Themes: s.Themes, Apps: s.Apps, ClientIP: s.ClientIP}
	rt.front = s.orAway(front.Root)
	rt.add("/theme-app/{target}/{slug}/{path...}", front.App)

	h := &themes.Handlers{Themes: s.Themes, Plugins: s.Plugins, Installer: s.Installer, Site: s.Site}

	rt.admin("GET /api/v1/admin/themes/{target}", h.Status)
	rt.adminUpload("POST /api/v1/admin/themes/{target}/activate", appTimeout, h.Activate)
	rt.adminUpload("POST /api/v1/admin/themes/{target}/rollback", appTimeout, h.Rollback)
	rt.admin("POST /api/v1/admin/themes/{target}/deactivate", h.Deactivate)
	rt.public("GET /api/v1/shop/themes/active", h.Active)
	rt.public("GET /api/v1/shop/theme-extensions/blocks", h.Blocks)
	rt.public("GET /api/v1/shop/theme-extensions/embeds", h.Embeds)
	rt.public("GET /look/{file}", h.Look)
	rt.public("GET /themes/{target}/{slug}/{version}/{path...}", h.File)
}

// orAway answers people with a page, in place of an error, while the shop's theme app does
// not answer.
func (s *Server) orAway(
	root func(w http.ResponseWriter, r *http.Request) (bool, error),
) func(w http.ResponseWriter, r *http.Request) (bool, error) {
	page := s.page(pages.Site.Away)
	away := []errs.Kind{errs.Unreachable, errs.Busy, errs.Timeout}
	return func(w http.ResponseWriter, r *http.Request) (bool, error) {
		served, err := root(w, r)
		kind := errs.KindOf(err)
		if err == nil || !slices.Contains(away, kind) || !web.WantsHTML(r) {
			return served, err
		}
		s.Log.WarnContext(r.Context(), "the shop's theme app does not answer", slog.Any("err", err))
		w.Header().Set("Retry-After", "5")
		return true, web.FailureHTML(web.Status(kind), page)(w, r)
	}
}
