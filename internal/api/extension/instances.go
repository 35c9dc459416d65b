package extension

import (
	"context"
	"encoding/json"
	"net/http"

	"stoa/internal/api/guard"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/data/idempotency"
	"stoa/internal/extension/plugin"
)

// instance is an instance on the wire (contract 4.9).
type instance struct {
	InstallationID     string          `json:"installationId"`
	PluginSlug         string          `json:"pluginSlug"`
	InstanceKey        string          `json:"instanceKey"`
	Enabled            bool            `json:"enabled"`
	Config             json.RawMessage `json:"config"` // null if there is none
	ConfigMeta         configMeta      `json:"configMeta"`
	GrantedPermissions []string        `json:"grantedPermissions"`
	UnknownPermissions []string        `json:"unknownPermissions,omitempty"` // granted permissions that have no effect
	Undecided          []string        `json:"undecidedPermissions,omitempty"`
	LifecycleWarning   string          `json:"lifecycleWarning,omitempty"`
	Runtime            runtimeStatus   `json:"runtime"`
	CreatedAt          web.Timestamp   `json:"createdAt"`
	UpdatedAt          web.Timestamp   `json:"updatedAt"`
}

type configMeta struct {
	SecretFields map[string]secretField `json:"secretFields"`
}

type secretField struct {
	Configured bool `json:"configured"`
}

// runtimeStatus is the state of an instance's process or service (contract 4.13).
type runtimeStatus struct {
	State     plugin.RuntimeState `json:"state"`
	Since     web.Timestamp       `json:"since"`
	LastError *failure            `json:"lastError,omitempty"`
}

type failure struct {
	At      web.Timestamp `json:"at"`
	Message string        `json:"message"`
	File    string        `json:"file,omitempty"`
	Line    int           `json:"line,omitempty"`
	Over    bool          `json:"over,omitempty"`
}

func newRuntimeStatus(st plugin.RuntimeStatus) runtimeStatus {
	status := runtimeStatus{State: st.State, Since: web.Timestamp(st.Since)}
	if f := st.LastError; !f.IsZero() {
		status.LastError = &failure{
			At: web.Timestamp(f.At), Message: f.Message, File: f.File, Line: f.Line, Over: st.Over(),
		}
	}
	return status
}

// instances returns instances as they are shown.
func (h *Handlers) instances(ctx context.Context, list ...plugin.Installed) ([]instance, error) {
	states, err := h.Plugins.Statuses(ctx, list)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(list))
	for i, in := range list {
		ids[i] = in.Instance.ID
	}
	warnings, err := h.Plugins.Warnings(ctx, ids)
	if err != nil {
		return nil, err
	}
	shown := make([]instance, len(list))
	for i, in := range list {
		shown[i] = newInstance(in)
		shown[i].Runtime, shown[i].LifecycleWarning = newRuntimeStatus(states[i]), warnings[ids[i]]
	}
	return shown, nil
}

func newInstance(in plugin.Installed) instance {
	config, configured := in.PublicConfig()
	secrets := make(map[string]secretField, len(configured))
	for name, is := range configured {
		secrets[name] = secretField{Configured: is}
	}
	return instance{
		InstallationID: in.Instance.ID, PluginSlug: in.Instance.Slug, InstanceKey: in.Instance.Key,
		Enabled: in.Instance.Enabled, Config: config, ConfigMeta: configMeta{SecretFields: secrets},
		GrantedPermissions: in.Permissions(), UnknownPermissions: in.Package.Manifest.Unknown(in.Permissions()),
		Undecided: in.Undecided(),
		CreatedAt: web.Timestamp(in.Instance.CreatedAt), UpdatedAt: web.Timestamp(in.Instance.UpdatedAt),
	}
}

// ListInstances serves GET /api/v1/admin/plugins/{slug}/instances.
func (h *Handlers) ListInstances(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "q", "sort")
	p, v := web.ReadPage(r, &faults), r.URL.Query()
	q := plugin.InstanceQuery{Search: v.Get("q"), Sort: v.Get("sort"), Limit: p.Limit, Offset: p.Offset()}
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	instances, total, err := h.Plugins.Instances(r.Context(), r.PathValue("slug"), q)
	if err != nil {
		return err
	}
	shown, err := h.instances(r.Context(), instances...)
	if err != nil {
		return err
	}
	web.WriteList(w, p, shown, total, func(in instance) instance { return in })
	return nil
}

// instanceInput is the body of a new instance or of a change. Package plugin
// checks its fields, all at once.
type instanceInput struct {
	InstanceKey        json.RawMessage `json:"instanceKey"`
	Enabled            json.RawMessage `json:"enabled"`
	Config             json.RawMessage `json:"config"`
	GrantedPermissions json.RawMessage `json:"grantedPermissions"`
}

func (in instanceInput) input() plugin.Input {
	return plugin.Input{Key: in.InstanceKey, Enabled: in.Enabled, Config: in.Config, Granted: in.GrantedPermissions}
}

// mayConsent refuses API keys that grant permissions: to consent is for people.
func (in instanceInput) mayConsent(ctx context.Context) error {
	if len(in.GrantedPermissions) == 0 {
		return nil
	}
	return guard.RefuseKeys(ctx)
}

// CreateInstance serves POST /api/v1/admin/plugins/{slug}/instances.
func (h *Handlers) CreateInstance(w http.ResponseWriter, r *http.Request) error {
	body, err := web.ReadJSON[instanceInput](w, r, nil)
	if err != nil {
		return err
	}
	if err := body.mayConsent(r.Context()); err != nil {
		return err
	}
	input := body.input()
	input.ID = plugin.InstallationID(idempotency.Seed(r.Context()))
	in, err := h.Plugins.CreateInstance(r.Context(), r.PathValue("slug"), input)
	if err != nil {
		return err
	}
	w.Header().Set("Location", r.URL.EscapedPath()+"/"+in.Instance.ID)
	return h.writeInstance(w, r, http.StatusCreated, in)
}

// GetInstance serves GET /api/v1/admin/plugins/{slug}/instances/{installationId}.
func (h *Handlers) GetInstance(w http.ResponseWriter, r *http.Request) error {
	in, err := h.Plugins.ByID(r.Context(), r.PathValue("slug"), r.PathValue("installationId"))
	if err != nil {
		return err
	}
	return h.writeInstance(w, r, http.StatusOK, in)
}

// ChangeInstance serves PATCH /api/v1/admin/plugins/{slug}/instances/{installationId}.
func (h *Handlers) ChangeInstance(w http.ResponseWriter, r *http.Request) error {
	body, faults, err := web.ReadChange[instanceInput, instance](w, r)
	if err != nil {
		return err
	}
	if err := body.mayConsent(r.Context()); err != nil {
		return err
	}
	input := body.input()
	input.Faults = faults.List()
	in, err := h.Plugins.UpdateInstance(r.Context(), r.PathValue("slug"), r.PathValue("installationId"), input,
		web.IfMatch(r))
	if err != nil {
		return err
	}
	return h.writeInstance(w, r, http.StatusOK, in)
}

// DeleteInstance serves DELETE /api/v1/admin/plugins/{slug}/instances/{installationId}.
func (h *Handlers) DeleteInstance(w http.ResponseWriter, r *http.Request) error {
	err := h.Plugins.DeleteInstance(r.Context(), r.PathValue("slug"), r.PathValue("installationId"), web.IfMatch(r))
	if err != nil {
		return err
	}
	web.WriteDone(w, "The instance is deleted. Its key and its installation id are never used again.")
	return nil
}

func (h *Handlers) writeInstance(w http.ResponseWriter, r *http.Request, status int, in plugin.Installed) error {
	shown, err := h.instances(r.Context(), in)
	if err != nil {
		return err
	}
	web.SetETag(w, web.VersionTag(in.Instance.Version))
	web.WriteData(w, status, shown[0])
	return nil
}
