package extension

import (
	"cmp"
	"maps"
	"net/http"
	"slices"

	"stoa/internal/api/web"
	"stoa/internal/extension"
	"stoa/internal/extension/plugin"
)

// managedPackage is a package with its administrator's settings. null stands for the platform's default.
type managedPackage struct {
	listedPackage

	Settings settings      `json:"settings"`
	License  *shownLicense `json:"license"`
	previous
}

// previous is the version that a rollback returns to; absent if there is none.
type previous struct {
	PreviousVersion string `json:"previousVersion,omitempty"`
}

type settings struct {
	Isolation          string   `json:"isolation"`
	AllowCookies       bool     `json:"allowCookies"`
	AllowAuthorization bool     `json:"allowAuthorization"`
	AllowCORS          bool     `json:"allowCors"`
	AllowSameOrigin    bool     `json:"allowSameOrigin"`
	KeepRunning        bool     `json:"keepRunning"`
	StartTimeoutMs     *int64   `json:"startTimeoutMs"`
	TimeoutMs          *int64   `json:"timeoutMs"`
	MemoryMb           *int     `json:"memoryMb"`
	MaxConcurrency     *int     `json:"maxConcurrency"`
	Environment        []string `json:"environment"` // names only
}

func newManagedPackage(p plugin.Package) managedPackage {
	s := p.Settings
	return managedPackage{
		listedPackage: newListedPackage(p),
		Settings: settings{
			Isolation: cmp.Or(s.Isolation, plugin.IsolationInstance), KeepRunning: s.KeepRunning,
			AllowCookies: s.AllowCookies, AllowAuthorization: s.AllowAuthorization, AllowCORS: s.AllowCORS,
			AllowSameOrigin: s.AllowSameOrigin, StartTimeoutMs: web.OrNull(s.StartTimeoutMs),
			TimeoutMs: web.OrNull(s.TimeoutMs), MemoryMb: web.OrNull(s.MemoryMb),
			MaxConcurrency: web.OrNull(s.MaxConcurrency),
			Environment:    web.OrEmpty(slices.Sorted(maps.Keys(s.Environment))),
		},
	}
}

// settingsLevel is what a client may know when it changes settings, which a GET shows one level below
// the package.
type settingsLevel struct {
	listedPackage
	previous
	settings

	License *shownLicense `json:"license"`
}

// ChangePlugin serves PATCH /api/v1/admin/plugins/{slug}.
func (h *Handlers) ChangePlugin(w http.ResponseWriter, r *http.Request) error {
	input, faults, err := web.ReadChange[plugin.SettingsInput, settingsLevel](w, r)
	if err != nil {
		return err
	}
	p, err := h.Plugins.ChangeSettings(r.Context(), r.PathValue("slug"), input, faults.List()...)
	return h.writePlugin(w, r, p, err)
}

// writePlugin answers with a package and its settings, unless err is not nil.
func (h *Handlers) writePlugin(w http.ResponseWriter, r *http.Request, p plugin.Package, err error) error {
	if err != nil {
		return err
	}
	shown := newManagedPackage(p)
	back, ok, err := h.Plugins.Previous(r.Context(), p.Manifest.Slug)
	if err != nil {
		return err
	} else if ok {
		shown.PreviousVersion = back.Manifest.Version
	}
	if shown.License, err = h.licenseOf(r.Context(), extension.Plugin, p.Manifest.Slug); err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, shown)
	return nil
}
