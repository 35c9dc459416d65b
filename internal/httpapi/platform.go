package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"stoa/internal/gateway"
	"stoa/internal/plugin"
)

type installationKey struct{}

// plugin registers a route of the platform API: for plugins, with the
// x-platform-token of a request as bearer token (CONTRACT 7). What the token
// stands for is looked up on each call. A user's token is refused, as a plugin's
// is everywhere else.
func (rt *router) plugin(pattern string, h handlerFunc) {
	s := rt.server
	rt.add(pattern, withDeadline(requestTimeout, func(w http.ResponseWriter, r *http.Request) error {
		token, ok := bearer(r)
		if !ok {
			return errUnauthorized
		}
		id, err := s.Accounts.VerifyPluginToken(r.Context(), token)
		if err != nil {
			return err
		}
		in, err := s.Plugins.ByInstallation(r.Context(), id)
		if err != nil {
			return err
		}
		return h(w, r.WithContext(context.WithValue(r.Context(), installationKey{}, in)))
	}))
}

// installation returns the instance behind the token of a platform API call.
func installation(r *http.Request) plugin.Installed {
	in, _ := r.Context().Value(installationKey{}).(plugin.Installed)
	return in
}

// platformConfig serves GET /api/v1/platform/config: a plugin's own config, for
// when it is too large for a header. Its ETag is the x-plugin-config-digest.
func (s *Server) platformConfig(w http.ResponseWriter, r *http.Request) error {
	in := installation(r)
	config, err := gateway.CompactConfig(in.Instance.Config)
	if err != nil {
		return fmt.Errorf("httpapi: config of installation %s: %w", in.Instance.ID, err)
	}
	etag := `"` + gateway.ConfigDigest(config) + `"`
	noStore(w) // it may hold secrets
	w.Header().Set("ETag", etag)
	if matches(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	writeData(w, http.StatusOK, struct {
		Config json.RawMessage `json:"config"`
	}{config})
	return nil
}
