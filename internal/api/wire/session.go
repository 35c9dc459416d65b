package wire

import (
	"stoa/internal/account"
	"stoa/internal/account/device"
	"stoa/internal/api/web"
)

// Session is a session of a user (contract 2.6).
type Session struct {
	ID         string        `json:"id"`
	CreatedAt  web.Timestamp `json:"createdAt"`
	LastUsedAt web.Timestamp `json:"lastUsedAt"`
	ExpiresAt  web.Timestamp `json:"expiresAt"`
	Current    bool          `json:"current"` // the caller's own
	Level      int           `json:"level"`
	Methods    []string      `json:"methods"`
	Device     *Device       `json:"device,omitempty"`
	// Address is where it began, LastAddress where it was last refreshed.
	Address     string `json:"address,omitempty"`
	LastAddress string `json:"lastAddress,omitempty"`
	// Impersonator is who acts as the user in it; nil in the user's own.
	Impersonator *Person `json:"impersonator,omitempty"`
}

// Person is a user by id and username; the name is empty once the account is gone.
type Person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// NewSession returns s on the wire; current is the id of the caller's own session.
func NewSession(s account.Session, current string) Session {
	var by *Person
	if s.StandIn.Any() {
		by = &Person{s.StandIn.ID, s.StandIn.Name}
	}
	return Session{
		Impersonator: by,
		ID:           s.ID, CreatedAt: web.Timestamp(s.CreatedAt), LastUsedAt: web.Timestamp(s.LastUsedAt()),
		ExpiresAt: web.Timestamp(s.ExpiresAt()), Current: s.ID == current, Level: s.Level, Methods: s.MethodNames(),
		Device: newDevice(s.UserAgent), Address: s.Address, LastAddress: s.LastAddress,
	}
}

// Device is what somebody signed in with, as it says.
type Device struct {
	Name    string `json:"name"`
	Browser string `json:"browser,omitempty"`
	OS      string `json:"os,omitempty"`
}

// newDevice returns nil if the program said nothing of itself.
func newDevice(userAgent string) *Device {
	if userAgent == "" {
		return nil
	}
	a := device.Read(userAgent)
	return &Device{Name: a.String(), Browser: a.Browser, OS: a.OS}
}

// Activity is something that happened to an account: a sign-in, or a change.
type Activity struct {
	At   web.Timestamp `json:"at"`
	Kind string        `json:"kind"` // "sign_in" or "change"
	// Of a sign-in.
	Outcome string   `json:"outcome,omitempty"`
	Methods []string `json:"methods,omitempty"`
	Device  *Device  `json:"device,omitempty"`
	// Of a change.
	Action string `json:"action,omitempty"`
	By     string `json:"by,omitempty"`

	Address string `json:"address,omitempty"`
}

// NewActivity returns a on the wire.
func NewActivity(a account.Activity) Activity {
	if a.Action != "" {
		return Activity{At: web.Timestamp(a.At), Kind: "change", Action: string(a.Action), By: a.By, Address: a.Address}
	}
	return Activity{
		At: web.Timestamp(a.At), Kind: "sign_in", Outcome: a.Outcome, Methods: account.MethodNames(a.Methods),
		Device: newDevice(a.UserAgent), Address: a.Address,
	}
}
