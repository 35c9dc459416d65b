package extension

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/message/delivery"
)

// pluginDelivery is the delivery of a hook or an event to an instance.
type pluginDelivery struct {
	wire.Delivery

	Kind           delivery.Kind `json:"kind"`
	Name           string        `json:"name"`
	InstallationID string        `json:"installationId"`
}

func newPluginDelivery(d delivery.Listed) pluginDelivery {
	return pluginDelivery{Delivery: wire.NewDelivery(d), Kind: d.Kind, Name: d.Name, InstallationID: d.Target}
}

// ListHooks serves GET /api/v1/admin/plugins/{slug}/hooks.
func (h *Handlers) ListHooks(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	p := web.ReadPage(r, &faults)
	state, target := wire.ReadDeliveryState(r, &faults), readID(r, "installationId", &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	list, total, err := h.Hooks.List(r.Context(), r.PathValue("slug"), delivery.Query{
		State: state, Target: target, Limit: p.Limit, Offset: p.Offset(),
	})
	if err != nil {
		return err
	}
	web.WriteList(w, p, list, total, newPluginDelivery)
	return nil
}

// readID reads a query parameter that is an identifier, and reports one that none can be.
func readID(r *http.Request, name string, faults *errs.Issues) string {
	id := r.URL.Query().Get(name)
	if !text.Printable(id, text.Short) {
		faults.Add(name, errs.CodeInvalid, "%s must be printable, and not longer than an id is.", name)
	}
	return id
}

// listedDelivery is a delivery in the list of those of all plugins.
type listedDelivery struct {
	pluginDelivery

	PluginSlug string `json:"pluginSlug"`
}

// ListAllHooks serves GET /api/v1/admin/hooks.
func (h *Handlers) ListAllHooks(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "slug", "installationId", "state", "from", "to")
	p := web.ReadPage(r, &faults)
	q := delivery.Query{
		Owner: readID(r, "slug", &faults), Target: readID(r, "installationId", &faults),
		State: wire.ReadDeliveryState(r, &faults),
		From:  web.ReadTime(r, "from", &faults), To: web.ReadTime(r, "to", &faults), Limit: p.Limit, Offset: p.Offset(),
	}
	if err := faults.Err(); err != nil {
		return err
	}
	list, total, err := h.Hooks.ListAll(r.Context(), q)
	if err != nil {
		return err
	}
	web.WriteList(w, p, list, total, func(d delivery.Listed) listedDelivery {
		return listedDelivery{newPluginDelivery(d), d.Owner}
	})
	return nil
}

// ReplayAllDeadHooks serves POST /api/v1/admin/hooks/replay.
func (h *Handlers) ReplayAllDeadHooks(w http.ResponseWriter, r *http.Request) error {
	since, err := wire.ReadSince(w, r)
	if err != nil {
		return err
	}
	n, err := h.Hooks.ReplayAllDead(r.Context(), since)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, wire.Replayed{Replayed: n})
	return nil
}

// ReplayHook serves POST /api/v1/admin/hooks/{deliveryId}/replay.
func (h *Handlers) ReplayHook(w http.ResponseWriter, r *http.Request) error {
	d, err := h.Hooks.Replay(r.Context(), r.PathValue("deliveryId"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, newPluginDelivery(d))
	return nil
}

// ReplayDeadHooks serves POST /api/v1/admin/plugins/{slug}/hooks/replay.
func (h *Handlers) ReplayDeadHooks(w http.ResponseWriter, r *http.Request) error {
	since, err := wire.ReadSince(w, r)
	if err != nil {
		return err
	}
	n, err := h.Hooks.ReplayDead(r.Context(), r.PathValue("slug"), since)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, wire.Replayed{Replayed: n})
	return nil
}
