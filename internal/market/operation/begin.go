package operation

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/url"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/text"
	"stoa/internal/extension"
	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/shop/order"
	"stoa/internal/trust/audit"
)

// NewPurchase asks for a purchase.
type NewPurchase struct {
	ProductSlug string `json:"productSlug"`
	TierID      string `json:"tierId"`
	// Grants are what the package gets of what it asks for. nil: nobody said; empty: nothing, on purpose.
	Grants []string `json:"grants"`
}

// Issues returns what is wrong with n.
func (n NewPurchase) Issues() (faults errs.Issues) {
	faults.Require("productSlug", n.ProductSlug)
	if faults.Require("tierId", n.TierID) && !text.Printable(n.TierID, text.Short) {
		faults.Add("tierId", errs.CodeOutOfRange, "tierId must be at most %d printable characters.", text.Short)
	}
	consented(n.Grants, &faults)
	return faults
}

func consented(grants []string, faults *errs.Issues) {
	if grants == nil {
		faults.Add("grants", errs.CodeRequired, "grants is required: the permissions that the package gets, [] for none.")
	}
}

// NewTrial asks for a trial.
type NewTrial struct {
	ProductSlug string   `json:"productSlug"`
	TierID      string   `json:"tierId"`
	Email       string   `json:"email"`
	Grants      []string `json:"grants"` // as in NewPurchase
}

func (n NewTrial) purchase() NewPurchase { return NewPurchase{n.ProductSlug, n.TierID, n.Grants} }

// Issues returns what is wrong with n.
func (n NewTrial) Issues() (faults errs.Issues) {
	if faults.Require("email", n.Email) && order.EmailKey(n.Email) == "" {
		faults.Add("email", errs.CodeInvalid, "email must be one e-mail address.")
	}
	faults.Merge(n.purchase().Issues())
	return faults
}

// NewInstall asks for an install, or an upgrade.
type NewInstall struct {
	LicenseKey string   `json:"licenseKey"`
	Grants     []string `json:"grants"` // as in NewPurchase
}

// Issues returns what is wrong with n.
func (n NewInstall) Issues() (faults errs.Issues) {
	faults = n.OwnIssues()
	consented(n.Grants, &faults)
	return faults
}

// begin returns an operation that can begin, and its market. The errors are those of remote.Service.Packages,
// ErrNothing, install.ErrPlatform, those of takes, ErrElsewhere, ErrOtherKind, ErrUninstalled, VALIDATION_ERROR for
// grants that are not signed, and extension.ErrTrust for those that the caller may not give.
func (s *Service) begin(
	ctx context.Context, kind Kind, market, slug string, grants []string,
) (Operation, seller, error) {
	m, offered, err := s.Markets.Offered(ctx, market, []string{slug})
	if err != nil {
		return Operation{}, seller{}, err
	}
	list, ok := offered[slug]
	if !ok {
		return Operation{}, seller{}, ErrProduct
	} else if len(list) == 0 {
		return Operation{}, seller{}, ErrNothing
	}
	pkg := s.offered(list[0])
	if err := s.Installer.Fits(pkg.MinPlatform); err != nil {
		return Operation{}, seller{}, err
	}
	if err := s.takes(ctx, list[0]); err != nil {
		return Operation{}, seller{}, err
	}
	if err := checkGrants(ctx, pkg.Permissions, grants); err != nil {
		return Operation{}, seller{}, err
	}
	o := Operation{
		ID: ids.New(), Kind: kind, Market: market, Product: slug, Package: pkg.Package, Grants: grants,
		Actor: actorOf(reqctx.CallerFrom(ctx)), Licensed: pkg.Licensed, State: Pending, Steps: []Reached{},
	}
	o.CreatedAt = s.now()
	o.DueAt = o.CreatedAt
	at := s.seller(m)
	o.ProductName = at.name(ctx, slug)
	return o, at, s.free(ctx, o)
}

// takes returns nil if this stoa takes a package, from this caller. What the install would refuse for sure is refused
// before somebody pays. The errors are those of Installer.CheckKind and TooLarge, and extension.ErrTrust for an app.
func (s *Service) takes(ctx context.Context, pkg remote.Package) error {
	if err := s.Installer.CheckKind(pkg.Kind); err != nil {
		return err
	}
	if pkg.Size > s.Installer.MaxSize(pkg.Kind) {
		return s.Installer.TooLarge(pkg.Kind)
	}
	if pkg.Kind == extension.ThemeAppShop || pkg.Kind == extension.ThemeAppAdmin {
		return extension.CheckTrust(ctx)
	}
	return nil
}

// otherKind is the kind that shares its slugs with another: themes and theme apps of one target.
var otherKind = map[extension.Kind]extension.Kind{
	extension.ThemeShop: extension.ThemeAppShop, extension.ThemeAppShop: extension.ThemeShop,
	extension.ThemeAdmin: extension.ThemeAppAdmin, extension.ThemeAppAdmin: extension.ThemeAdmin,
}

// free returns nil if the package of o may be installed: nothing with its slug came from elsewhere.
func (s *Service) free(ctx context.Context, o Operation) error {
	installed, err := s.Installer.Installed(ctx)
	if err != nil {
		return err
	}
	for _, p := range installed {
		if p.Kind == o.Package.Kind && p.Slug == o.Package.Slug && !cameFrom(p, o.Market, o.Product) {
			return ErrElsewhere
		}
		if p.Kind == otherKind[o.Package.Kind] && p.Slug == o.Package.Slug {
			return ErrOtherKind.With("kind", string(p.Kind))
		}
	}
	if o.Package.Kind != extension.Plugin {
		return nil
	}
	if is, err := s.Plugins.IsUninstalled(ctx, o.Package.Slug); err != nil || !is {
		return err
	}
	return ErrUninstalled
}

// Purchase begins a purchase: the buyer pays at CheckoutURL. The errors are those of begin, ErrSelf, ErrAddress,
// ErrFree, ErrTier, ErrBuying with details.operationId, ErrRefused, remote.ErrUnreachable, and remote.ErrUntrusted also
// for a market that sends buyers elsewhere.
func (s *Service) Purchase(ctx context.Context, market string, in NewPurchase) (Operation, error) {
	if err := in.Issues().Err(); err != nil {
		return Operation{}, err
	}
	o, at, err := s.beginPaid(ctx, Purchase, market, in)
	if err != nil {
		return Operation{}, err
	}
	if err := s.notBuying(ctx, market, o.Product); err != nil {
		return Operation{}, err
	}
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	hash := sha256.Sum256(secret[:])
	o.Secrets.Handoff = base64.RawURLEncoding.EncodeToString(secret[:])
	back := s.PublicURL + "/console/plugins/markets/" + url.PathEscape(market) + "?operation=" + o.ID
	ask := wanted{
		ProductSlug: o.Product, TierID: o.Tier, Instance: s.instance(), PlatformID: s.PlatformID, ReturnURL: back,
		SecretHash: hex.EncodeToString(hash[:]),
	}
	// The payment makes a trial that runs here a paid license. Of a key that is kept, only the market knows whether it is
	// one.
	if ask.LicenseKey, _, err = s.Licenses.Key(ctx, o.subject()); err != nil {
		return Operation{}, err
	}
	got, err := at.handoff(ctx, ask, o.ID)
	if ask.LicenseKey != "" && (errs.KindOf(err) == errs.Conflict || errs.KindOf(err) == errs.Forbidden) {
		ask.LicenseKey = ""
		got, err = at.handoff(ctx, ask, o.ID+"-new")
	}
	if err != nil {
		return Operation{}, err
	}
	o.HandoffID, o.CheckoutURL, o.ExpiresAt = got.ID, got.CheckoutURL, got.ExpiresAt
	err = s.create(ctx, o, "")
	if errors.Is(err, ErrBuying) { // somebody was faster. Nobody can pay this one: its address is known to nobody
		err = cmp.Or(s.notBuying(ctx, market, o.Product), err)
	}
	return o, err
}

// notBuying returns ErrBuying with details.operationId while a purchase of the product is not over. Its payment may be
// on its way longer than its handoff says, so the market's word ends it, not the clock.
func (s *Service) notBuying(ctx context.Context, market, product string) error {
	id, is, err := s.Store.Buying(ctx, market, product)
	if err != nil || !is {
		return err
	}
	return ErrBuying.With("operationId", id)
}

// beginPaid is begin for what costs something.
func (s *Service) beginPaid(ctx context.Context, kind Kind, market string, in NewPurchase) (Operation, seller, error) {
	if market == remote.Self {
		return Operation{}, seller{}, ErrSelf
	}
	if kind == Purchase && !terms.LeadsTo(s.PublicURL, s.instance()) { // no market would send the buyer back there
		return Operation{}, seller{}, ErrAddress
	}
	o, at, err := s.begin(ctx, kind, market, in.ProductSlug, in.Grants)
	if err != nil {
		return Operation{}, seller{}, err
	}
	if !o.Licensed {
		return Operation{}, seller{}, ErrFree
	}
	if o.Package.Kind == extension.Bundle { // whether it holds an app is seen once it is paid
		if err := extension.CheckTrust(ctx); err != nil {
			return Operation{}, seller{}, err
		}
	}
	o.Tier = in.TierID
	return o, at, nil
}

// Trial begins a trial. The errors are those of Purchase without ErrAddress, ErrHeld and ErrTrialUsed.
//
// The operation is stored before the market is asked: if the process is killed in between, it is asked again, for the
// same trial.
func (s *Service) Trial(ctx context.Context, market string, in NewTrial) (Operation, error) {
	if err := in.Issues().Err(); err != nil {
		return Operation{}, err
	}
	o, at, err := s.beginPaid(ctx, Trial, market, in.purchase())
	if err != nil {
		return Operation{}, err
	}
	if err := s.untried(ctx, o); err != nil {
		return Operation{}, err
	}
	o.Secrets.Email = in.Email
	lease := rand.Text()
	o.DueAt = o.CreatedAt.Add(leaseFor)
	if err := s.create(ctx, o, lease); err != nil {
		return Operation{}, err
	}
	w := &work{s: s, at: at, o: o, lease: lease}
	if err := unanswered(w.tryOut(ctx)); err != nil {
		if final(err) {
			w.fail(ctx, err)
			return Operation{}, err
		}
		// Nobody knows whether the trial began. The operation finds out, and the caller can follow it.
		w.later(ctx, err)
		return w.o, nil
	}
	err = w.goOn(ctx)
	return w.o, err
}

// untried returns ErrHeld if a trial would replace a license. That of another trial it may: the market knows how many
// there can be.
func (s *Service) untried(ctx context.Context, o Operation) error {
	_, held, err := s.Licenses.Key(ctx, o.subject())
	if err != nil || !held {
		return err
	}
	switch l, err := s.Licenses.Get(ctx, o.Package.Kind, o.Package.Slug); {
	case errs.KindOf(err) == errs.NotFound: // by now
		return nil
	case err != nil:
		return err
	case l.IsTrial:
		return nil
	}
	return ErrHeld
}

// Install begins an install of a free product, or with a license: that of the given key, or the one that is kept. The
// errors are those of begin, and ErrLicense.
func (s *Service) Install(ctx context.Context, market, productSlug string, in NewInstall) (Operation, error) {
	if err := in.Issues().Err(); err != nil {
		return Operation{}, err
	}
	o, _, err := s.begin(ctx, Install, market, productSlug, in.Grants)
	if err != nil {
		return Operation{}, err
	}
	if o.Licensed {
		kept, err := s.kept(ctx, o)
		if err != nil {
			return Operation{}, err
		}
		o.Secrets.Key = cmp.Or(in.LicenseKey, kept)
		o.Secrets.Kept = o.Secrets.Key == kept
		if o.Secrets.Key == "" {
			return Operation{}, ErrLicense.With("reason", "missing")
		}
		if err := s.Licenses.Verify(ctx, o.subject(), o.Secrets.Key); err != nil {
			return Operation{}, err
		}
	}
	return o, s.create(ctx, o, "")
}

// kept returns the license key of a product that this stoa has: the one in use, or else that of a purchase or a trial
// that failed. It is empty without one.
func (s *Service) kept(ctx context.Context, o Operation) (string, error) {
	key, held, err := s.Licenses.Key(ctx, o.subject())
	if err != nil || held {
		return key, err
	}
	failed, is, err := s.Store.Bought(ctx, o.Market, o.Product)
	if err != nil || !is {
		return "", err
	}
	bought, err := s.open(failed)
	if err != nil { // another master key sealed it
		return "", nil //nolint:nilerr // whoever bought it has it in the receipt
	}
	return bought.Secrets.Key, nil
}

// create stores an operation and has it carried on, unless it is leased.
func (s *Service) create(ctx context.Context, o Operation, lease string) error {
	stored, err := s.seal(o)
	if err != nil {
		return err
	}
	if err := s.Store.Create(ctx, stored, lease); errs.KindOf(err) == errs.NotFound {
		return remote.ErrNotFound
	} else if err != nil {
		return err
	}
	if lease == "" {
		s.rounds.Wake()
	}
	return nil
}

// entry returns what the audit log is told of an operation.
func (o *Operation) entry(ctx context.Context, by reqctx.Caller, action audit.Action, at time.Time) audit.Entry {
	return audit.New(reqctx.WithCaller(ctx, by), at, action, audit.Target{Type: "market", ID: o.Market}, audit.Details{
		"operation": o.ID, "kind": string(o.Kind), "product": o.Product, "tier": o.Tier,
		"package": string(o.Package.Kind) + " " + o.Package.Slug, "permissions": o.Grants,
	})
}
