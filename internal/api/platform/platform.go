// Package platform serves the platform API, which plugins call with the token that the gateway sends
// them (contract 7.2): their config, the shop's data that they were granted, their storage, and the
// publishing of events.
package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"stoa/internal/account"
	"stoa/internal/api/guard"
	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/plugin/storage"
	"stoa/internal/run/gateway"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
)

// Permissions that routes need.
const (
	ReadProducts  = plugin.PermissionReadProducts
	ReadOrders    = plugin.PermissionReadOrders
	ReadLicenses  = plugin.PermissionReadLicenses
	ReadUsers     = plugin.PermissionReadUsers
	ReadEmails    = plugin.PermissionReadEmails
	ReadStorage   = plugin.PermissionReadStorage
	WriteStorage  = plugin.PermissionWriteStorage
	PublishEvents = plugin.PermissionPublish
)

var errNotGranted = errs.New(errs.Forbidden, "PERMISSION_NOT_GRANTED",
	"The instance lacks the permission that this needs. An administrator can grant it "+
		"if the plugin's manifest declares it.")

// Handlers serve the platform API. All fields are required.
type Handlers struct {
	Now      func() time.Time
	Limits   limit.Counter
	Accounts *account.Service
	Plugins  *plugin.Service
	Storage  *storage.Service
	Catalog  *catalog.Service
	Orders   *order.Service
	Licenses *license.Service
}

type installationKey struct{}

// Plugin refuses everyone but plugins, which send the x-platform-token of a request as bearer token. A
// user's token is refused here, and a plugin's everywhere else. Plugin reads the installation and its
// permissions from the database on each call (a hook's token may bring fewer); without one of needs the
// answer is 403. Every need must be known to plugin.IsPermission, or the console would show administrators
// that it grants nothing.
func (h *Handlers) Plugin(next web.HandlerFunc, needs ...string) web.HandlerFunc {
	for _, need := range needs {
		if !plugin.IsPermission(need) {
			panic("platform: a route needs the unknown permission " + need)
		}
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		token, ok := guard.Bearer(r)
		if !ok {
			return guard.ErrUnauthorized
		}
		in, ctx, err := h.holder(r.Context(), token)
		if err != nil {
			return err
		}
		if err := h.Limits.Count(w, r, limit.Platform, in.Instance.ID); err != nil {
			return err
		}
		for _, need := range needs {
			if !may(in, need) {
				return errNotGranted.With("slug", in.Package.Manifest.Slug).With("permission", need)
			}
		}
		return next(w, r.WithContext(context.WithValue(ctx, installationKey{}, in)))
	}
}

// holder returns the installation that a token stands for, with the permissions that it has with it, and the context of
// what it does: for whom somebody of the staff made the call, if they did. The
// error is account.ErrPluginToken for a token that is not good, or not over this connection: stolen tokens
// of contained plugins are of no use outside (contract 7.1).
func (h *Handlers) holder(ctx context.Context, raw string) (plugin.Installed, context.Context, error) {
	t, err := h.Accounts.VerifyPluginToken(ctx, raw)
	if err != nil {
		return plugin.Installed{}, nil, err
	}
	channel, own := reqctx.ChannelFrom(ctx)
	if own != t.OnChannel || own && (channel.Has == nil || !channel.Has(t.InstallationID)) {
		return plugin.Installed{}, nil, account.ErrPluginToken
	}
	find := h.Plugins.ByInstallation
	if t.Hook != "" {
		find = h.Plugins.Unpurged
	}
	in, err := find(ctx, t.InstallationID)
	switch {
	case errs.KindOf(err) == errs.NotFound: // disabled, uninstalled or purged since
		return plugin.Installed{}, nil, account.ErrPluginToken
	case err != nil:
		return plugin.Installed{}, nil, err
	case t.Hook != "":
		in = in.HoldHook(t.Permissions)
	case t.Enabling != in.Instance.Enabling && t.Enabling != 0: // it was disabled and enabled since
		return plugin.Installed{}, nil, account.ErrPluginToken
	}
	if t.Actor != "" {
		ctx = reqctx.WithBehalf(ctx, reqctx.Behalf{UserID: t.UserID, Impersonator: t.Actor})
	}
	return in, ctx, nil
}

// may reports whether an installation has a permission.
func may(in plugin.Installed, permission string) bool {
	return slices.Contains(in.Permissions(), permission)
}

// installed returns the installation that calls, inside Plugin.
func installed(r *http.Request) plugin.Installed {
	in, _ := r.Context().Value(installationKey{}).(plugin.Installed)
	return in
}

// License serves GET /api/v1/platform/license: what x-plugin-license says, for plugins that work without a
// call.
func (h *Handlers) License(w http.ResponseWriter, r *http.Request) error {
	web.NoStore(w)
	l := installed(r).Package.License
	if l.State == "" {
		web.WriteData(w, http.StatusOK, struct {
			State string `json:"state"`
		}{"none"})
		return nil
	}
	web.WriteData(w, http.StatusOK, l.Status(h.Now()))
	return nil
}

// Config serves GET /api/v1/platform/config: a plugin's own config, which may be
// too large for a header. Its ETag is the x-plugin-config-digest.
func (h *Handlers) Config(w http.ResponseWriter, r *http.Request) error {
	in := installed(r)
	config, err := gateway.CompactConfig(in.Instance.Config)
	if err != nil {
		return fmt.Errorf("platform: config of installation %s: %w", in.Instance.ID, err)
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
