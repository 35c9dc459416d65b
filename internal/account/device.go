package account

import (
	"context"
	"time"

	"stoa/internal/account/device"
	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
)

// DeviceLife is how long a device is known after its last sign-in, and its cookie kept.
const DeviceLife = 400 * 24 * time.Hour

// KnownDevice is a browser in which a user signed in before. It lets nobody in: sign-ins of it are no news to the user,
// and what others do to the account does not slow them.
type KnownDevice struct {
	ID     string
	UserID string
	Hash   string // of its cookie, which is not kept
	Name   string // as package device names it
	LastAt time.Time
}

// Devices is the part of Store about known devices.
type Devices interface {
	// UseDevice notes a sign-in with the user's device whose cookie has that hash, if it was used within DeviceLife, and
	// returns its id, or else an errs.NotFound error.
	UseDevice(ctx context.Context, userID, hash string, at time.Time) (id string, err error)

	// AddDevice inserts a device. The error is an errs.Conflict if the user has one with that Hash.
	AddDevice(ctx context.Context, d KnownDevice) error

	// KnowsDevice reports whether a cookie with that hash is of a device of the user whose address has that Key, and was
	// used after a time.
	KnowsDevice(ctx context.Context, emailKey, hash string, after time.Time) (bool, error)

	// ForgetDevice forgets the device with which a session of the user began. Having none is not an error.
	ForgetDevice(ctx context.Context, userID, sessionID string) error
}

// deviceBytes is how many random bytes the cookie of a device has.
const deviceBytes = 16

// recognize notes with which device a session begins, if its browser keeps a cookie, and reports whether the user
// signed in with it before. A cookie that is not of a device of this user is replaced by another: whoever can set one
// in somebody else's browser must not become known by it.
func (s *Service) recognize(ctx context.Context, tx Store, session *Session) (known bool, err error) {
	d := reqctx.DeviceFrom(ctx)
	if d == nil {
		return false, nil
	}
	if d.Sent != "" {
		session.DeviceID, err = tx.UseDevice(ctx, session.UserID, ids.HashLinkToken(d.Sent), session.CreatedAt)
		if err == nil {
			d.Given = d.Sent
			return true, nil
		}
		if errs.KindOf(err) != errs.NotFound {
			return false, err
		}
	}
	session.DeviceID, d.Given = ids.New(), randomText(deviceBytes)
	return false, tx.AddDevice(ctx, KnownDevice{
		ID: session.DeviceID, UserID: session.UserID, Hash: ids.HashLinkToken(d.Given), LastAt: session.CreatedAt,
		Name: device.Read(session.UserAgent).String(),
	})
}

// FromKnownDevice reports whether a request comes from a device in which the user with that address signed in before. A
// browser without a cookie costs nothing.
func (s *Service) FromKnownDevice(ctx context.Context, email string) (bool, error) {
	d := reqctx.DeviceFrom(ctx)
	if d == nil || d.Sent == "" || !validEmail(email) {
		return false, nil
	}
	return s.Store.KnowsDevice(ctx, Key(email), ids.HashLinkToken(d.Sent), s.Now().Add(-DeviceLife))
}
