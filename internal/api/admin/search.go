package admin

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/operate/lookup"
)

// searched is the body of a search. It is not in the URL, because what customers send may be a license
// key.
type searched struct {
	Q string `json:"q"`
}

func (in searched) issues() (faults errs.Issues) {
	faults.Require("q", in.Q)
	return faults
}

type foundGroup struct {
	Kind  lookup.Kind `json:"kind"`
	Items []foundItem `json:"items"`
}

type foundItem struct {
	ID       string `json:"id"`
	Slug     string `json:"slug,omitempty"`
	Title    string `json:"title"`
	Subtitle string `json:"subtitle"`
	State    string `json:"state"`
}

// Search serves POST /api/v1/admin/search.
func (h *Handlers) Search(w http.ResponseWriter, r *http.Request) error {
	type answer struct {
		Groups []foundGroup `json:"groups"`
	}

	in, err := web.ReadJSON(w, r, searched.issues)
	if err != nil {
		return err
	}
	groups, err := h.Lookup.Search(r.Context(), in.Q)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, answer{web.Items(groups, func(g lookup.Group) foundGroup {
		return foundGroup{g.Kind, web.Items(g.Items, func(it lookup.Item) foundItem { return foundItem(it) })}
	})})
	return nil
}
