package license

import (
	"time"

	"stoa/internal/base/event"
	"stoa/internal/base/reqctx"
)

// Event returns the event that something happened to l. It never has the key.
func (l License) Event(t event.Type, at time.Time) event.Event {
	e := event.New(at, t, event.Names{LicenseID: l.ID, ProductID: l.ProductID, UserID: owner(l.UserID)})
	e.Demo = l.Demo
	return e
}

// owner returns the id of a user, or nothing where there is none.
func owner(userID string) string {
	if reqctx.IsUser(userID) {
		return userID
	}
	return ""
}
