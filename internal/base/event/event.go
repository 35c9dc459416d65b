// Package event owns the events that stoa sends to plugins and operators' systems: the types of
// events, their form, and the patterns that subscribe to them (contract 7.4).
//
// An event is written in the transaction of the change it describes: the Store of every domain has
// the same Publish, as it has Record for the audit log. Package delivery sends events to their
// subscribers.
package event

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Type is what happened, as a subject and a verb: "order.paid". Types are stable: programs match on
// them.
type Type string

// The types of stoa's own events. Types of plugins begin with their slug and a dot.
const (
	UserRegistered       Type = "user.registered"
	UserEmailVerified    Type = "user.email_verified"
	UserEmailChanged     Type = "user.email_changed"
	UserRoleChanged      Type = "user.role_changed"
	UserDeleted          Type = "user.deleted"
	OrderPaid            Type = "order.paid"
	OrderRefunded        Type = "order.refunded"
	OrderPartlyRefunded  Type = "order.partly_refunded"
	OrderCancelled       Type = "order.cancelled"
	LicenseIssued        Type = "license.issued"
	LicenseActivated     Type = "license.activated"
	LicenseDeactivated   Type = "license.deactivated"
	LicenseRevoked       Type = "license.revoked"
	LicenseRenewed       Type = "license.renewed"
	LicenseChanged       Type = "license.changed"
	LicenseExpired       Type = "license.expired"
	TrialStarted         Type = "trial.started"
	TrialEnded           Type = "trial.ended"
	ExtensionInstalled   Type = "extension.installed"
	ExtensionUpgraded    Type = "extension.upgraded"
	ExtensionUninstalled Type = "extension.uninstalled"
	InstanceEnabled      Type = "instance.enabled"
	InstanceDisabled     Type = "instance.disabled"

	// WebhookTest is sent to a webhook on demand, and to no other subscriber.
	WebhookTest Type = "webhook.test"
)

// Types are the types of stoa's own events, those that can be subscribed to.
var Types = []Type{
	UserRegistered, UserEmailVerified, UserEmailChanged, UserRoleChanged, UserDeleted, OrderPaid, OrderRefunded,
	OrderPartlyRefunded, OrderCancelled, LicenseIssued, LicenseActivated, LicenseDeactivated,
	LicenseRevoked, LicenseRenewed, LicenseChanged, LicenseExpired, TrialStarted, TrialEnded,
	ExtensionInstalled, ExtensionUpgraded, ExtensionUninstalled, InstanceEnabled, InstanceDisabled,
}

// Event is something that happened. It never changes.
type Event struct {
	ID         string // UUIDv7
	Type       Type
	OccurredAt time.Time
	Data       json.RawMessage // an object
	// Cause is the traceparent of the request that published it, if that was recorded.
	// Subscribers do not get it.
	Cause string
	// Demo says that the event is about a sale that a demo made up. Such an event is not published.
	Demo bool
}

// Names are the ids of the things that an event of stoa is about. Those that do not apply are
// empty. Secrets and keys are never among them.
type Names struct {
	UserID         string `json:"userId,omitempty"`
	OrderID        string `json:"orderId,omitempty"`
	LicenseID      string `json:"licenseId,omitempty"`
	ProductID      string `json:"productId,omitempty"`
	Kind           string `json:"kind,omitempty"` // of an extension
	Slug           string `json:"slug,omitempty"`
	InstallationID string `json:"installationId,omitempty"`
}

// New returns an event that happened at now.
func New(now time.Time, t Type, about Names) Event {
	data, _ := json.Marshal(about) // texts only
	return Published(now, t, data)
}

// Published returns an event with the given data, a JSON object, such as a plugin publishes.
func Published(now time.Time, t Type, data json.RawMessage) Event {
	return Event{
		ID: uuid.Must(uuid.NewV7()).String(), Type: t, OccurredAt: now.UTC().Truncate(time.Millisecond), Data: data,
	}
}

// timeFormat is the form of times in JSON (contract 1.2).
const timeFormat = "2006-01-02T15:04:05.000Z"

// MarshalJSON returns the event in the form that subscribers get.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID         string          `json:"id"`
		Type       Type            `json:"type"`
		OccurredAt string          `json:"occurredAt"`
		Data       json.RawMessage `json:"data"`
	}{e.ID, e.Type, e.OccurredAt.UTC().Format(timeFormat), e.Data})
}

// patternRE is a type or a prefix of types. Slugs may have hyphens.
var patternRE = regexp.MustCompile(`^[a-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*(\.\*)?$`)

// MaxType is the length of the longest type and of the longest pattern in bytes.
const MaxType = 128

// All is the pattern of all types. Operators may subscribe to it, plugins may not: a manifest says what a
// plugin wants to know.
const All = "*"

// IsPattern reports whether a text can subscribe to events: an exact type such as
// "order.paid", or a prefix such as "order.*".
func IsPattern(s string) bool { return len(s) <= MaxType && patternRE.MatchString(s) }

// BeginsWith reports whether t is a well-formed type that begins with a subject, such as
// the slug of a plugin, and a dot.
func (t Type) BeginsWith(subject string) bool {
	return IsPattern(string(t)) && !strings.HasSuffix(string(t), "*") && strings.HasPrefix(string(t), subject+".")
}

// IsPlatforms reports whether t begins as one of stoa's own types does. A plugin with the slug
// "order" must not be able to announce that an order was paid.
func (t Type) IsPlatforms() bool {
	subject, _, _ := strings.Cut(string(t), ".")
	for _, own := range append([]Type{WebhookTest}, Types...) {
		if own.BeginsWith(subject) {
			return true
		}
	}
	return false
}

// Matches reports whether one of the patterns matches the type.
func (t Type) Matches(patterns []string) bool {
	for _, p := range patterns {
		prefix, all := strings.CutSuffix(p, "*")
		if p == string(t) || all && strings.HasPrefix(string(t), prefix) {
			return true
		}
	}
	return false
}
