package admin

import (
	"context"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/mask"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
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

// masked implements maskable. Users are titled by their address, and orders say whose they are below.
func (i foundItem) masked() foundItem {
	i.Title, i.Subtitle = mask.Within(i.Title), mask.Within(i.Subtitle)
	return i
}

// seenWith are the permissions that show things of a kind.
var seenWith = map[lookup.Kind]permission.Name{
	lookup.User: permission.ReadUsers, lookup.Order: permission.ReadOrders, lookup.License: permission.ReadLicenses,
	lookup.Product: permission.ReadProducts, lookup.Plugin: permission.ReadExtensions,
	lookup.Instance: permission.ReadExtensions, lookup.Webhook: permission.ReadWebhooks,
}

func reader(ctx context.Context) lookup.Reader {
	who := reqctx.CallerFrom(ctx)
	return lookup.Reader{
		Shows: func(kind lookup.Kind) bool { return who.May(seenWith[kind]) }, People: seesPeople(ctx),
		Former: seesFormer(ctx),
	}
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
	groups, err := h.Lookup.Search(r.Context(), in.Q, reader(r.Context()))
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, answer{web.Items(groups, func(g lookup.Group) foundGroup {
		return foundGroup{
			g.Kind, web.Items(g.Items, shown(r.Context(), func(it lookup.Item) foundItem { return foundItem(it) })),
		}
	})})
	return nil
}
