package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"stoa/internal/gateway"
	"stoa/internal/httpapi/guard"
	"stoa/internal/httpapi/web"
	"stoa/internal/plugin"
)

type installationKey struct{}

// RequirePlugin refuses everyone but plugins, which send the x-platform-token of a
// request as bearer token (CONTRACT 7). The installation of the token is looked up
// on each call. A user's token is refused here, and a plugin's everywhere else.
func (h *Handlers) RequirePlugin(next web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		token, ok := guard.Bearer(r)
		if !ok {
			return guard.ErrUnauthorized
		}
		id, err := h.Accounts.VerifyPluginToken(r.Context(), token)
		if err != nil {
			return err
		}
		in, err := h.Plugins.ByInstallation(r.Context(), id)
		if err != nil {
			return err
		}
		return next(w, r.WithContext(context.WithValue(r.Context(), installationKey{}, in)))
	}
}

// Config serves GET /api/v1/platform/config: a plugin's own config, which may be
// too large for a header. Its ETag is the x-plugin-config-digest. It runs inside
// RequirePlugin.
func (h *Handlers) Config(w http.ResponseWriter, r *http.Request) error {
	in, _ := r.Context().Value(installationKey{}).(plugin.Installed)
	config, err := gateway.CompactConfig(in.Instance.Config)
	if err != nil {
		return fmt.Errorf("relay: config of installation %s: %w", in.Instance.ID, err)
	}
	tag := web.Tag(gateway.ConfigDigest(config))
	web.NoStore(w) // it may contain secrets
	web.SetETag(w, tag)
	if web.NotModified(w, r, tag) {
		return nil
	}
	web.WriteData(w, http.StatusOK, struct {
		Config json.RawMessage `json:"config"`
	}{config})
	return nil
}
