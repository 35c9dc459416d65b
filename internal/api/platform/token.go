package platform

import (
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
)

// ProofHeader carries what tells the instances of a shared process apart: the host program alone has it.
const ProofHeader = "X-Stoa-Process"

// errNotOwn is answered to everyone but a contained process with an enabled instance.
var errNotOwn = errs.New(errs.Unauthenticated, "UNAUTHORIZED",
	"Only the process of a contained plugin gets a token here, over its own channel, while its instance is enabled. "+
		"A new plugin is tried before it is: let it not wait for the platform while it registers.")

// Token serves POST /api/v1/platform/token: a token for a contained process that works without a call. The
// channel that the request came over says whose process it is (contract 6.4). On the public listener, and
// for an instance that is not enabled, it is errNotOwn.
func (h *Handlers) Token(w http.ResponseWriter, r *http.Request) error {
	channel, ok := reqctx.ChannelFrom(r.Context())
	if !ok || channel.Asker == nil {
		return errNotOwn
	}
	id, ok := channel.Asker(r.Header.Get(ProofHeader))
	if !ok {
		return errNotOwn
	}
	in, err := h.Plugins.ByInstallation(r.Context(), id)
	if errs.KindOf(err) == errs.NotFound {
		return errNotOwn // disabled or uninstalled
	} else if err != nil {
		return err
	}
	if err := h.Limits.Count(w, r, limit.Platform, id); err != nil {
		return err
	}
	token, expires, err := h.Accounts.IssuePluginToken(r.Context(), account.PluginToken{
		InstallationID: id, Enabling: in.Instance.Enabling, OnChannel: true,
	})
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, struct {
		Token     string        `json:"token"`
		ExpiresAt web.Timestamp `json:"expiresAt"`
	}{token, web.Timestamp(expires)})
	return nil
}
