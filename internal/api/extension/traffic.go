package extension

import (
	"math"
	"net/http"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/run/traffic"
)

// listedBusy is how many plugins, or installations of one, are listed beside a report.
const listedBusy = 20

// trafficSummary is a traffic.Summary on the wire.
type trafficSummary struct {
	Calls  uint64   `json:"calls"`
	Errors uint64   `json:"errors"`
	Share  float64  `json:"errorShare"` // of the calls
	P95    *float64 `json:"p95Ms"`      // null without calls
}

type trafficPoint struct {
	At web.Timestamp `json:"at"`

	trafficSummary
}

type trafficWindow struct {
	trafficSummary

	Step   int            `json:"stepSeconds"`
	Points []trafficPoint `json:"points"`
}

type trafficReport struct {
	CountedSince web.Timestamp `json:"countedSince"`
	Hour         trafficWindow `json:"hour"`
	Day          trafficWindow `json:"day"`
}

// instanceTraffic is the report of an instance.
type instanceTraffic struct {
	trafficReport

	Slug           string `json:"slug"`
	InstallationID string `json:"installationId"`
}

// pluginTraffic is the report of a plugin.
type pluginTraffic struct {
	trafficReport

	Slug          string                `json:"slug"`
	Installations []installationTraffic `json:"installations"`
}

type installationTraffic struct {
	InstallationID string         `json:"installationId"`
	Hour           trafficSummary `json:"hour"`
	Day            trafficSummary `json:"day"`
}

// allTraffic is the report of all plugins together.
type allTraffic struct {
	trafficReport

	Plugins []slugTraffic `json:"plugins"`
}

type slugTraffic struct {
	Slug string         `json:"slug"`
	Hour trafficSummary `json:"hour"`
	Day  trafficSummary `json:"day"`
}

func newTrafficSummary(s traffic.Summary) trafficSummary {
	shown := trafficSummary{Calls: s.Calls, Errors: s.Errors}
	if s.Calls > 0 {
		shown.Share = math.Round(1e4*float64(s.Errors)/float64(s.Calls)) / 1e4
		ms := math.Round(10*s.P95.Seconds()*1000) / 10
		shown.P95 = &ms
	}
	return shown
}

func newTrafficWindow(w traffic.Window) trafficWindow {
	shown := trafficWindow{
		trafficSummary: newTrafficSummary(w.Summary), Step: int(w.Step / time.Second),
		Points: make([]trafficPoint, len(w.Points)),
	}
	for i, p := range w.Points {
		shown.Points[i] = trafficPoint{At: web.Timestamp(p.At), trafficSummary: newTrafficSummary(p.Summary)}
	}
	return shown
}

func (h *Handlers) newTrafficReport(r traffic.Report) trafficReport {
	return trafficReport{
		CountedSince: web.Timestamp(h.Traffic.Since), Hour: newTrafficWindow(r.Hour), Day: newTrafficWindow(r.Day),
	}
}

// PluginTraffic serves GET /api/v1/admin/plugins/{slug}/traffic.
func (h *Handlers) PluginTraffic(w http.ResponseWriter, r *http.Request) error {
	slug, now := r.PathValue("slug"), h.Now()
	if id := r.URL.Query().Get("installationId"); id != "" {
		if _, err := h.Plugins.ByID(r.Context(), slug, id); err != nil {
			return err
		}
		web.WriteData(w, http.StatusOK, instanceTraffic{
			trafficReport: h.newTrafficReport(h.Traffic.InstallationOf(slug, id, now)), Slug: slug, InstallationID: id,
		})
		return nil
	}
	if _, err := h.Plugins.Get(r.Context(), slug); err != nil {
		return err
	}
	shown := pluginTraffic{trafficReport: h.newTrafficReport(h.Traffic.Plugin(slug, now))}
	shown.Slug, shown.Installations = slug, []installationTraffic{}
	for _, x := range h.Traffic.Installations(slug, listedBusy, now) {
		shown.Installations = append(shown.Installations, installationTraffic{
			InstallationID: x.InstallationID, Hour: newTrafficSummary(x.Hour), Day: newTrafficSummary(x.Day),
		})
	}
	web.WriteData(w, http.StatusOK, shown)
	return nil
}

// AllTraffic serves GET /api/v1/admin/traffic.
func (h *Handlers) AllTraffic(w http.ResponseWriter, _ *http.Request) error {
	now := h.Now()
	shown := allTraffic{trafficReport: h.newTrafficReport(h.Traffic.All(now)), Plugins: []slugTraffic{}}
	for _, x := range h.Traffic.Plugins(listedBusy, now) {
		shown.Plugins = append(shown.Plugins, slugTraffic{
			Slug: x.Slug, Hour: newTrafficSummary(x.Hour), Day: newTrafficSummary(x.Day),
		})
	}
	web.WriteData(w, http.StatusOK, shown)
	return nil
}
