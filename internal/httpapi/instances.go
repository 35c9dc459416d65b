package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"stoa/internal/idempotency"
	"stoa/internal/plugin"
)

// instanceJSON is an instance on the wire (CONTRACT 4).
type instanceJSON struct {
	InstallationID     string          `json:"installationId"`
	PluginSlug         string          `json:"pluginSlug"`
	InstanceKey        string          `json:"instanceKey"`
	Enabled            bool            `json:"enabled"`
	Config             json.RawMessage `json:"config"` // null if there is none
	ConfigMeta         configMetaJSON  `json:"configMeta"`
	GrantedPermissions []string        `json:"grantedPermissions"`
	LifecycleWarning   string          `json:"lifecycleWarning,omitempty"`
	CreatedAt          timestamp       `json:"createdAt"`
	UpdatedAt          timestamp       `json:"updatedAt"`
}

type configMetaJSON struct {
	SecretFields map[string]secretFieldJSON `json:"secretFields"`
}

type secretFieldJSON struct {
	Configured bool `json:"configured"`
}

func newInstanceJSON(in plugin.Installed) instanceJSON {
	config, configured := in.PublicConfig()
	secrets := make(map[string]secretFieldJSON, len(configured))
	for name, is := range configured {
		secrets[name] = secretFieldJSON{Configured: is}
	}
	return instanceJSON{
		InstallationID: in.Instance.ID, PluginSlug: in.Instance.Slug, InstanceKey: in.Instance.Key,
		Enabled: in.Instance.Enabled, Config: config, ConfigMeta: configMetaJSON{SecretFields: secrets},
		GrantedPermissions: orEmpty(in.Instance.Granted), LifecycleWarning: lifecycleWarning(in.Package.Manifest),
		CreatedAt: timestamp(in.Instance.CreatedAt), UpdatedAt: timestamp(in.Instance.UpdatedAt),
	}
}

// lifecycleWarning says what a plugin that asks for hooks must know.
func lifecycleWarning(m plugin.Manifest) string {
	hooks := m.Hooks()
	if len(hooks) == 0 {
		return ""
	}
	return fmt.Sprintf("This version of stoa does not call lifecycle hooks; the plugin asks for %s.", strings.Join(hooks, ", "))
}

// listInstances serves GET /api/v1/admin/plugins/{slug}/instances.
func (s *Server) listInstances(w http.ResponseWriter, r *http.Request) error {
	var faults issues
	p := readPage(r, &faults)
	if err := faults.err(); err != nil {
		return err
	}
	instances, total, err := s.Plugins.Instances(r.Context(), r.PathValue("slug"), p.Limit, p.offset())
	if err != nil {
		return err
	}
	writeList(w, p, instances, total, newInstanceJSON)
	return nil
}

// instanceInput is the body of a new instance or of a change. Its fields are
// checked by package plugin, all at once.
type instanceInput struct {
	InstanceKey        json.RawMessage `json:"instanceKey"`
	Enabled            json.RawMessage `json:"enabled"`
	Config             json.RawMessage `json:"config"`
	GrantedPermissions json.RawMessage `json:"grantedPermissions"`
}

func (in instanceInput) input() plugin.Input {
	return plugin.Input{Key: in.InstanceKey, Enabled: in.Enabled, Config: in.Config, Granted: in.GrantedPermissions}
}

// createInstance serves POST /api/v1/admin/plugins/{slug}/instances.
func (s *Server) createInstance(w http.ResponseWriter, r *http.Request) error {
	body, err := readJSON[instanceInput](w, r, nil)
	if err != nil {
		return err
	}
	input := body.input()
	input.ID = plugin.InstallationID(idempotency.Seed(r.Context()))
	in, err := s.Plugins.CreateInstance(r.Context(), r.PathValue("slug"), input)
	if err != nil {
		return err
	}
	w.Header().Set("Location", r.URL.EscapedPath()+"/"+in.Instance.ID)
	writeInstance(w, http.StatusCreated, in)
	return nil
}

// getInstance serves GET /api/v1/admin/plugins/{slug}/instances/{installationId}.
func (s *Server) getInstance(w http.ResponseWriter, r *http.Request) error {
	in, err := s.Plugins.ByID(r.Context(), r.PathValue("slug"), r.PathValue("installationId"))
	if err != nil {
		return err
	}
	writeInstance(w, http.StatusOK, in)
	return nil
}

// changeInstance serves PATCH /api/v1/admin/plugins/{slug}/instances/{installationId}.
func (s *Server) changeInstance(w http.ResponseWriter, r *http.Request) error {
	body, err := readJSON[instanceInput](w, r, nil)
	if err != nil {
		return err
	}
	in, err := s.Plugins.UpdateInstance(r.Context(), r.PathValue("slug"), r.PathValue("installationId"), body.input(), ifMatch(r))
	if err != nil {
		return err
	}
	writeInstance(w, http.StatusOK, in)
	return nil
}

// deleteInstance serves DELETE /api/v1/admin/plugins/{slug}/instances/{installationId}.
func (s *Server) deleteInstance(w http.ResponseWriter, r *http.Request) error {
	err := s.Plugins.DeleteInstance(r.Context(), r.PathValue("slug"), r.PathValue("installationId"), ifMatch(r))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, envelope{Success: true, Message: "The instance is deleted. Its key and its installation id are never used again."})
	return nil
}

func writeInstance(w http.ResponseWriter, status int, in plugin.Installed) {
	w.Header().Set("ETag", etag(in.Instance.Version))
	writeData(w, status, newInstanceJSON(in))
}

func etag(version int64) string { return strconv.Quote(strconv.FormatInt(version, 10)) }

// ifMatch is matchTag for what has a version.
func ifMatch(r *http.Request) plugin.Match {
	match := matchTag(r)
	if match == nil {
		return nil
	}
	return func(version int64) bool { return match(etag(version)) }
}

// matchTag reads If-Match (RFC 9110, 13.1.1): a list of entity tags, of which one
// must be the present one, or * for whatever is there. Weak tags never match. It
// is nil without the header.
func matchTag(r *http.Request) func(tag string) bool {
	values := r.Header.Values("If-Match")
	if len(values) == 0 {
		return nil
	}
	return func(present string) bool {
		for tag := range strings.SplitSeq(strings.Join(values, ","), ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || tag == present {
				return true
			}
		}
		return false
	}
}
