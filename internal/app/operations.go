package app

import (
	"context"
	"errors"

	"stoa/internal/account"
	"stoa/internal/account/staff"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/market/operation"
	"stoa/internal/store"
)

// buildOperations builds what buys and installs from the markets of other stoas.
func (a *App) buildOperations(cfg Config) {
	a.Operations = &operation.Service{
		Store: store.NewOperations(a.DB), Markets: a.Markets, Licenses: a.Entitlements, Installer: a.installer,
		Plugins: a.Plugins, Catalog: a.Catalog, Releases: a.Releases, Box: cfg.MasterKey.Box(operation.SealedFor),
		Rights: a.rightsOf, PublicURL: cfg.PublicURL, PlatformID: a.PlatformID, Log: cfg.Log, Now: cfg.Now,
	}
}

// rightsOf implements operation.Service.Rights. What is asked of sessions, such as a second factor, was asked when the
// operation began.
func (a *App) rightsOf(ctx context.Context, who operation.Actor) (reqctx.Caller, error) {
	if who.KeyID != "" {
		h, err := a.Accounts.Store.KeyHolder(ctx, who.KeyID)
		if errs.KindOf(err) == errs.NotFound {
			return reqctx.Caller{}, nil
		} else if err != nil {
			return reqctx.Caller{}, err
		}
		c, _ := h.Stands(a.Accounts.Now())
		return c, nil
	}
	if who.Service != "" { // a token of another program, which the platform does not know beyond its name
		return reqctx.Caller{Service: who.Service, Role: reqctx.RoleAdmin, Rights: permission.All()}, nil
	}
	u, err := a.Accounts.User(ctx, who.UserID)
	if errors.Is(err, account.ErrNoUser) || err == nil && !u.Active {
		return reqctx.Caller{}, nil
	} else if err != nil {
		return reqctx.Caller{}, err
	}
	role, err := a.Roles.Role(ctx, string(u.Role))
	if errors.Is(err, staff.ErrNoRole) { // USER is no role of staff
		return reqctx.Caller{}, nil
	}
	return reqctx.Caller{UserID: u.ID, Role: u.Role, Rights: role.Rights(), Impersonator: who.Impersonator}, err
}
