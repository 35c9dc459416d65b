package themes

import (
	"net/http"
	"strings"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/extension/theme"
	"stoa/internal/html/look"
)

var errNoLook = errs.New(errs.NotFound, "NOT_FOUND", "There is no such style sheet.")

// Look serves GET /look/{file}: the style sheet that the pages of a target link last.
func (h *Handlers) Look(w http.ResponseWriter, r *http.Request) error {
	name, ok := strings.CutSuffix(r.PathValue("file"), ".css")
	target, err := theme.ParseTarget(name)
	if err != nil || !ok {
		return errNoLook
	}
	set, err := h.Site.Get(r.Context())
	if err != nil {
		return err
	}
	active, err := h.Themes.Active(r.Context(), target)
	if err != nil {
		return err
	}
	enough := look.AA
	if target == theme.Admin {
		enough = look.AAA
	}
	sheet := look.Sheet(set.Accent, enough, pack(active))
	web.WriteCached(w, r, "text/css; charset=utf-8", web.ContentTag(sheet), sheet)
	return nil
}

// pack returns the style sheet of a theme pack; none for an app, which serves its own pages.
func pack(active *theme.Applied) look.Theme {
	if active == nil || theme.IsApp(active.Version.Kind) {
		return look.Theme{}
	}
	entry := active.Version.Manifest.Entry
	name := entry.Stylesheet
	if name == "" {
		name = entry.TokensCSS
	}
	if name == "" {
		return look.Theme{}
	}
	return look.Theme{Stylesheet: active.Version.BaseURL() + name, Config: active.PublicConfig()}
}
