package operation

import (
	"errors"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/market/entitlement"
)

// Kind is how a package is got.
type Kind string

// The kinds of operations.
const (
	Purchase Kind = "purchase" // it is bought on the market
	Trial    Kind = "trial"
	Install  Kind = "install" // it is free, or a license is there already
)

// State is whether an operation goes on.
type State string

// The states of an operation.
const (
	Pending State = "pending"
	Done    State = "done"
	Failed  State = "failed"
)

// Step is what an operation has come to.
type Step string

// The steps, in their order. Those that an operation does not need are left out.
const (
	Paid       Step = "paid"
	Activated  Step = "activated"
	Downloaded Step = "downloaded"
	Verified   Step = "verified"
	Installed  Step = "installed"
	Running    Step = "running"
)

// Reached is a step with the time at which it was reached first.
type Reached struct {
	Step Step      `json:"step"`
	At   time.Time `json:"at"`
}

// Package is what an operation installs. Version is the one that was offered when it began.
type Package struct {
	Kind    extension.Kind
	Slug    string
	Version string
}

// Failure is why an operation failed, or waits, as a client is told.
type Failure struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

func newFailure(err error) *Failure {
	if e, ok := errors.AsType[*errs.Error](err); ok {
		return &Failure{Code: e.Code, Message: e.Message, Details: e.Details}
	}
	return &Failure{Code: "INTERNAL_ERROR", Message: "An internal error occurred."}
}

// cause returns the error of ours behind one that stands for it: a market's refusal that counts as no answer.
func cause(err error) error {
	if outer, ok := errors.AsType[*errs.Error](err); ok {
		if inner, ok := errors.AsType[*errs.Error](errors.Unwrap(outer)); ok {
			return inner
		}
	}
	return err
}

// Actor is who began an operation. Its rights are looked up when they matter.
type Actor struct {
	UserID       string `json:"userId,omitempty"`
	Service      string `json:"service,omitempty"`
	KeyID        string `json:"keyId,omitempty"`
	Impersonator string `json:"impersonator,omitempty"`
}

func actorOf(who reqctx.Caller) Actor {
	return Actor{UserID: who.UserID, Service: who.Service, KeyID: who.Key.ID, Impersonator: who.Impersonator}
}

// Caller returns the actor without any rights, for the audit log.
func (a Actor) Caller() reqctx.Caller {
	return reqctx.Caller{UserID: a.UserID, Service: a.Service, Impersonator: a.Impersonator, Key: reqctx.Key{ID: a.KeyID}}
}

// Secrets are never shown, logged or put into an error. The database has them sealed.
type Secrets struct {
	Key string `json:"key,omitempty"` // of the license
	// Kept says that this stoa had the key before the operation.
	Kept    bool   `json:"kept,omitempty"`
	Handoff string `json:"handoff,omitempty"` // the secret that claims the key of a purchase
	Email   string `json:"email,omitempty"`   // whose trial it is
}

// Operation is a purchase, a trial or an install. It ends as Done or Failed and never changes after that.
type Operation struct {
	ID          string
	Kind        Kind
	Market      string // its id
	Product     string // the product's slug
	ProductName string
	Tier        string // empty for an install
	Package     Package
	Grants      []string // permissions that the administrator consented to
	Actor       Actor
	// Licensed says that the product is not free.
	Licensed bool

	// Of a purchase: where it is paid, and until when.
	HandoffID   string
	CheckoutURL string
	ExpiresAt   time.Time

	Secrets Secrets // once it failed: the key of a purchase or a trial

	State     State
	Steps     []Reached
	Failure   *Failure
	Waiting   *Failure  // why the last attempt came no further; nil if only the payment is missing
	Attempts  int       // without an answer, since the last step
	DueAt     time.Time // when it goes on; zero once it is over
	CreatedAt time.Time
	EndedAt   time.Time // zero until it is over
}

// Step returns the last step that was reached, or "".
func (o *Operation) Step() Step {
	if len(o.Steps) == 0 {
		return ""
	}
	return o.Steps[len(o.Steps)-1].Step
}

// Has reports whether a step was reached.
func (o *Operation) Has(step Step) bool {
	return slices.ContainsFunc(o.Steps, func(r Reached) bool { return r.Step == step })
}

// Unpaid reports whether an operation waits for its payment.
func (o *Operation) Unpaid() bool { return o.Kind == Purchase && o.State == Pending && !o.Has(Paid) }

func (o *Operation) reach(step Step, at time.Time) {
	if o.Has(step) { // again, by a later attempt: that is no progress
		return
	}
	o.Steps = append(o.Steps, Reached{step, at})
	o.Attempts, o.Waiting = 0, nil
}

func (o *Operation) subject() entitlement.Subject {
	return entitlement.Subject{Kind: o.Package.Kind, Slug: o.Package.Slug, Market: o.Market, Product: o.Product}
}

// Errors of Service.
var (
	ErrNotFound = errs.New(errs.NotFound, "NOT_FOUND", "There is no such operation.")
	ErrProduct  = errs.New(errs.NotFound, "NOT_FOUND", "The market has no such product.")
	ErrTier     = errs.New(errs.NotFound, "NOT_FOUND", "The market has no such product, or the product no such tier.")
	// ErrLicense has the reason in its details, as verify gives it, or missing.
	ErrLicense = errs.New(errs.Forbidden, "LICENSE_REFUSED",
		"The license does not allow it. details.reason tells why.")
	ErrElsewhere = install.ErrElsewhere
	ErrOtherKind = errs.New(errs.Conflict, "CONFLICT",
		"A theme of another kind has this slug for the same target. Uninstall it first.")
	ErrUninstalled = errs.New(errs.Conflict, "CONFLICT", "This plugin was uninstalled and can be restored. "+
		"Restore it, or remove it for good first: on its page in the console, or with ?purge=true.")
	ErrNothing = errs.New(errs.Conflict, "CONFLICT", "The product offers nothing that can be installed.")
	ErrOther   = errs.New(errs.Conflict, "CONFLICT", "The product carries another package than when this began.")
	ErrFree    = errs.New(errs.Conflict, "CONFLICT", "The product is free: install it.")
	ErrSelf    = errs.New(errs.Conflict, "CONFLICT", "The local market has no purchases and trials from here: "+
		"buy the product in the shop, and install it with the license key.")
	ErrAddress = errs.New(errs.Conflict, "CONFLICT",
		"A purchase needs a public URL with https: set STOA_PUBLIC_URL. The market sends the buyer back there.")
	ErrRights = errs.New(errs.Forbidden, "FORBIDDEN", "Whoever began this may not install extensions any more. "+
		"A license that was bought stays; install the product to go on.")
	ErrTrialUsed = errs.New(errs.Conflict, "TRIAL_USED",
		"This product was tried already, on this stoa or by the owner of this address.")
	ErrExpired = errs.New(errs.Gone, "HANDOFF_EXPIRED", "The market gives no key for this purchase any more. "+
		"If it was paid, install the product with the license key of the receipt; else begin it anew.")
	ErrForgotten = errs.New(errs.NotFound, "NOT_FOUND",
		"The market does not know this purchase any more. If it was paid, ask the market's operator before you buy again.")
	ErrBuying = errs.New(errs.Conflict, "CONFLICT",
		"This product is being bought already: pay at the checkoutUrl of details.operationId, or end that purchase first.")
	ErrHeld = errs.New(errs.Conflict, "CONFLICT",
		"This stoa has a license of this product already. Buy the product, or enter another license key.")
	ErrOver = errs.New(errs.Conflict, "CONFLICT", "Only what is pending can be ended. This is over.")
	ErrBusy = errs.New(errs.Conflict, "CONFLICT",
		"The operation is at work at this moment. Try again in a few seconds.")
	ErrEnded   = errs.New(errs.Conflict, "CONFLICT", "Somebody ended it before it was over.")
	ErrRefused = errs.New(errs.Conflict, "CONFLICT", "The market refuses it. details.reason has its words.")
	ErrGone    = errs.New(errs.NotFound, "NOT_FOUND", "The market does not serve this version any more.")
)
