// Package overview answers an operator's first questions: what was sold and used lately, and what
// needs attention. It reads across the domains and changes nothing.
package overview

import (
	"context"
	"strings"
	"time"

	"stoa/internal/base/permission"
)

// Counted is how often something happened within the hour that begins at Hour (UTC). Sales have one
// for each currency.
type Counted struct {
	Hour     time.Time
	Count    int
	Currency string // of sales
	Minor    int64  // the sum of sales, in the currency's minor unit
}

// Severity is how urgent a concern is.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // something does not work
	Warning Severity = "warning" // something will stop working, or did for a while
)

// Kind is a kind of concern. Kinds are stable: programs match on them.
type Kind string

// The kinds of concerns.
const (
	PluginDead      Kind = "plugin.deliveries_dead"    // hooks or events were abandoned
	PluginWaiting   Kind = "plugin.deliveries_failing" // hooks or events fail, and are retried
	PluginUntold    Kind = "plugin.not_told"           // it reads users, and is not told who was deleted
	PluginAsks      Kind = "plugin.asks_for_more"      // it asks for permissions that nobody has decided on
	WebhookDead     Kind = "webhook.deliveries_dead"   // events were abandoned
	WebhookFailing  Kind = "webhook.failing"           // the address fails, and is retried
	WebhookDisabled Kind = "webhook.disabled"          // by stoa, because the address failed
	InstanceFailing Kind = "instance.failing"          // it does not start, or crashed
	InstanceFailed  Kind = "instance.failed"           // it crashed lately, and is running again
	ReceiptsFailed  Kind = "receipts.failed"           // receipts that could not be mailed
	ReceiptsWaiting Kind = "receipts.failing"          // they fail, and are retried
	OrdersPending   Kind = "orders.pending"            // for longer than an hour
	KeysDue         Kind = "keys.rotation_due"         // the key has signed for too long
	BackupFailed    Kind = "backup.failed"             // the last backup failed
	BackupOld       Kind = "backup.old"                // the last backup is twice as old as it should be
	VerifyFailed    Kind = "backup.verify_failed"      // a backup could not be restored, or is incomplete
	DiskLow         Kind = "disk.low"                  // a disk has little room
	WritingFails    Kind = "writing.failing"           // nothing, or not everything, can be stored

	StaffFactorLacking Kind = "staff.no_second_factor"  // staff who should have one, since they have accounts
	StaffBreached      Kind = "staff.breached_password" // staff whose password attackers try first
	FactorResets       Kind = "factor_resets.pending"   // second factors that are going to be removed

	MarketRootEnds Kind = "market.root_ends" // other stoas stop trusting this one then
	MarketRestored Kind = "market.restored"  // a backup brought its keys back

	KeysUnused        Kind = "api_keys.unused"         // API keys that nobody used for 90 days
	KeysExpiring      Kind = "api_keys.expiring"       // API keys that end within a week
	KeysBeyondCreator Kind = "api_keys.beyond_creator" // API keys of the shop that may do what their creator may no longer
)

// Concern is a problem that needs attention.
type Concern struct {
	Kind     Kind
	Severity Severity
	Count    int       // of the affected things
	Since    time.Time // of the oldest
	Message  string    // a sentence in English

	// What it is about. Each may be empty.
	Slug           string // of a plugin
	InstallationID string
	WebhookID      string
	Purpose        string // of keys
}

// NeedsAll returns the permissions without which c is not shown: of what only some may see, or do something about.
func (c Concern) NeedsAll() []permission.Name {
	switch {
	case strings.HasPrefix(string(c.Kind), "api_keys."):
		return []permission.Name{permission.AdminKeys}
	case c.Kind == PluginAsks:
		return []permission.Name{permission.TrustExtensions, permission.ConfigureExtension}
	}
	return nil
}

// Pile is a number of things with the same problem, and when the oldest started.
type Pile struct {
	Owner string // whose they are: a plugin's slug or a webhook's id
	Count int
	Since time.Time
}

// Asking is a plugin with instances that lack permissions on which nobody has decided.
type Asking struct {
	Slug           string
	InstallationID string // of the one that waits longest
	Permissions    []string
	Count          int // of instances
	Since          time.Time
}

// Failure is the last failure of an instance.
type Failure struct {
	InstallationID, Slug, Key string
	Name, Version             string // of the plugin
	At                        time.Time
	Message                   string
	Disabled                  bool // because it did not start when it was installed or restored
}

// text names the plugin before what it said.
func (f Failure) text() string {
	who := f.Name + " " + f.Version
	if f.Key != "default" {
		who += " (" + f.Key + ")"
	}
	if f.Disabled {
		who += " does not start, so it is disabled"
	}
	return who + ": " + f.Message
}

// TroubledWebhook is a webhook that fails, or that stoa has disabled.
type TroubledWebhook struct {
	ID, Host string
	Disabled bool
	Reason   string // why it was disabled
	Since    time.Time
}

// BackupRuns are the last runs of a job for backups. Times are zero if there was none.
type BackupRuns struct {
	OKAt     time.Time
	FailedAt time.Time
	Error    string
}

// KeyPiles are the live API keys of the shop and of staff that want attention.
type KeyPiles struct {
	Unused, Expiring, BeyondCreator Pile
}

// Store reads what the overview shows. Package store implements it for SQLite and
// PostgreSQL; its tests hold every sentence here to it.
type Store interface {
	// Sales returns the orders paid since then, by hour and currency, oldest first. Orders
	// that were paid after they were cancelled are left out; refunds are not deducted.
	Sales(ctx context.Context, since time.Time) ([]Counted, error)
	// Activations returns the seats taken since then that are still taken, by hour, oldest
	// first. Development instances take none.
	Activations(ctx context.Context, since time.Time) ([]Counted, error)
	// DemoSales reports whether Sales has sales that a demo made up.
	DemoSales(ctx context.Context, since time.Time) (bool, error)
	// Registrations returns the users created since then, by hour, oldest first.
	Registrations(ctx context.Context, since time.Time) ([]Counted, error)

	// DeadDeliveries returns the abandoned deliveries: those of plugins by slug, those of webhooks
	// by id. FailingDeliveries returns those to plugins that wait after a failed attempt, by slug.
	// Each returns at most limit piles, the oldest first.
	DeadDeliveries(ctx context.Context, webhooks bool, limit int) ([]Pile, error)
	FailingDeliveries(ctx context.Context, limit int) ([]Pile, error)
	// Untold returns the plugins with enabled instances that read users and do not subscribe to the deletion of users,
	// by slug, with the number of these instances: at most limit, those first that were not changed for longest.
	Untold(ctx context.Context, limit int) ([]Pile, error)
	// Undecided returns the plugins with instances that wait for somebody to decide what they may, at most limit, those
	// first that were not changed for longest.
	Undecided(ctx context.Context, limit int) ([]Asking, error)
	// TroubledWebhooks returns the webhooks that fail and those that stoa has disabled.
	TroubledWebhooks(ctx context.Context, limit int) ([]TroubledWebhook, error)
	// Failures returns the failures since then of instances in their current version, latest
	// first. A disabled one has failed in that version only if it did not start.
	Failures(ctx context.Context, since time.Time, limit int) ([]Failure, error)
	// FailedReceipts returns the receipts that were abandoned since then. WaitingReceipts returns
	// those that wait after a failed attempt.
	FailedReceipts(ctx context.Context, since time.Time) (Pile, error)
	WaitingReceipts(ctx context.Context) (Pile, error)
	// PendingOrders returns the orders placed before then that are pending.
	PendingOrders(ctx context.Context, before time.Time) (Pile, error)
	// StaffWithoutFactor returns the active staff without a second factor, or without a passkey.
	StaffWithoutFactor(ctx context.Context, passkey bool) (Pile, error)
	// BreachedStaff returns the active staff whose password is known to be breached.
	BreachedStaff(ctx context.Context) (Pile, error)
	// FactorResets returns the planned removals of second factors that were due after since, or will be.
	FactorResets(ctx context.Context, since time.Time) (Pile, error)
	// KeysInNeed returns the live API keys of service accounts and of active staff that want attention at now: those that
	// were made and last used before unused, those that end before ending, since their end, and those of service accounts
	// that may do what their creator no longer may, since they got their secret.
	KeysInNeed(ctx context.Context, now, unused, ending time.Time) (KeyPiles, error)
	// Backups returns the last runs that made a backup, and those that verified one.
	Backups(ctx context.Context) (taken, verified BackupRuns, err error)
}
