package extension

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
)

// ErrTrust is returned to whoever may manage extensions and may not give one more than they have themselves: rights
// over people's data, the network, and what acts on the shop's own origin (contract 2.30).
var ErrTrust = errs.New(errs.Forbidden, "FORBIDDEN", "This gives an extension more than your role allows you to give. "+
	"Somebody with the permission extensions:trust can do it.").With("permission", permission.TrustExtensions)

// ErrNotForKeys is returned to whoever would consent with an API key: only people do.
var ErrNotForKeys = errs.New(errs.Forbidden, "NOT_FOR_KEYS",
	"An API key consents to nothing an extension asks for. Do it in the console.")

// CheckTrust returns ErrTrust unless the caller may give extensions whatever they ask for. The command line and the
// platform itself may.
func CheckTrust(ctx context.Context) error {
	if who := reqctx.CallerFrom(ctx); who.IsGuest() || who.May(permission.TrustExtensions) {
		return nil
	}
	return ErrTrust
}
