// Package portable writes what there is about a user as files of JSON, in the same shapes as the API's answers
// (contract 2.33).
package portable

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"

	"stoa/internal/account"
	"stoa/internal/account/takeout"
	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/paging"
	"stoa/internal/base/reqctx"
	"stoa/internal/run/hook"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/review"
	"stoa/internal/trust/audit"
)

// page is how many rows are read at a time.
const page = 200

// Source implements takeout.Source. All fields are required.
type Source struct {
	Accounts *account.Service
	Orders   *order.Service
	Licenses *license.Service
	Reviews  *review.Service
	Audit    *audit.Log
	Plugins  Plugins
}

// Plugins asks plugins; *hook.Sender does.
type Plugins interface {
	Export(ctx context.Context, userID string) iter.Seq2[hook.Exported, error]
}

// Write implements takeout.Source.
func (s *Source) Write(ctx context.Context, userID string, add func(name string, content any) error) error {
	ctx = reqctx.WithCaller(ctx, reqctx.Caller{UserID: userID, Role: reqctx.RoleUser})
	for _, f := range []struct {
		name string
		read func(ctx context.Context, userID string) (any, error)
	}{
		{"account", s.account},
		{"sessions", s.sessions},
		{"activity", s.activity},
		{"orders", s.orders},
		{"licenses", s.licenses},
		{"activations", s.activations},
		{"reviews", s.reviews},
		{"audit", s.audit},
		{"plugins", s.plugins},
	} {
		content, err := f.read(ctx, userID)
		if err != nil {
			return err
		}
		if err := add(f.name, content); err != nil {
			return err
		}
	}
	return nil
}

// all reads all pages of a list.
func all[T any](read func(limit, offset int) ([]T, int, error)) (list []T, err error) {
	for one, err := range paging.All(func(offset int) ([]T, int, error) { return read(page, offset) }) {
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// person is the account itself, and the ways into it.
type person struct {
	wire.User

	CreatedAt    web.Timestamp `json:"createdAt"`
	Language     string        `json:"language,omitempty"` // that the user chose
	ReferralCode string        `json:"referralCode,omitempty"`
	Passkeys     []way         `json:"passkeys"`
	Identities   []way         `json:"identities"`
}

// way is a passkey, or an account at a provider.
type way struct {
	Name      string        `json:"name"`
	Email     string        `json:"email,omitempty"`
	CreatedAt web.Timestamp `json:"createdAt"`
}

func (s *Source) account(ctx context.Context, userID string) (any, error) {
	u, err := s.Accounts.User(ctx, userID)
	if err != nil {
		return nil, err
	}
	passkeys, err := s.Accounts.MyPasskeys(ctx, userID)
	if err != nil {
		return nil, err
	}
	identities, providers, err := s.Accounts.MyIdentities(ctx, userID)
	return person{
		User: wire.NewUser(u), CreatedAt: web.Timestamp(u.CreatedAt), Language: u.Language, ReferralCode: u.Referral,
		Passkeys: web.Items(passkeys, func(p account.Passkey) way {
			return way{Name: p.Name, CreatedAt: web.Timestamp(p.CreatedAt)}
		}),
		Identities: web.Items(identities, func(i account.Identity) way {
			return way{Name: cmp.Or(providers[i.Issuer].Name, i.Issuer), Email: i.Email, CreatedAt: web.Timestamp(i.CreatedAt)}
		}),
	}, err
}

func (s *Source) sessions(ctx context.Context, userID string) (any, error) {
	list, err := s.Accounts.SessionsOf(ctx, userID)
	return web.Items(list, func(one account.Session) wire.Session { return wire.NewSession(one, "") }), err
}

func (s *Source) activity(ctx context.Context, userID string) (any, error) {
	list, err := all(func(limit, offset int) ([]account.Activity, int, error) {
		return s.Accounts.Activity(ctx, userID, limit, offset)
	})
	return web.Items(list, wire.NewActivity), err
}

func (s *Source) orders(ctx context.Context, _ string) (any, error) {
	list, err := all(func(limit, offset int) ([]order.Listed, int, error) { return s.Orders.ListOwn(ctx, limit, offset) })
	return web.Items(list, wire.NewOrder), err
}

// known is what an installation of a plugin knows.
type known struct {
	Plugin         string `json:"plugin"`
	Name           string `json:"name"`
	InstallationID string `json:"installationId"`
	InstanceKey    string `json:"instanceKey"`

	Data    json.RawMessage `json:"data,omitempty"`
	Missing string          `json:"missing,omitempty"` // why there are no Data
}

func (s *Source) plugins(ctx context.Context, userID string) (any, error) {
	return takeout.List(func(yield func(any, error) bool) {
		for e, err := range s.Plugins.Export(ctx, userID) {
			m := &e.In.Package.Manifest
			if !yield(known{m.Slug, m.Name, e.In.Instance.ID, e.In.Instance.Key, e.Data, e.Missing}, err) {
				return
			}
		}
	}), nil
}

// owned is a license with its key.
type owned struct {
	wire.License

	Key string `json:"licenseKey"`
}

func (s *Source) own(ctx context.Context) ([]license.Owned, error) {
	return all(func(limit, offset int) ([]license.Owned, int, error) { return s.Licenses.ListOwn(ctx, limit, offset) })
}

func (s *Source) licenses(ctx context.Context, _ string) (any, error) {
	list, err := s.own(ctx)
	return web.Items(list, func(l license.Owned) owned {
		return owned{License: wire.NewLicense(l.Listed, s.Licenses.Now()), Key: l.Key.Reveal()}
	}), err
}

// activation is an activation of one of the user's licenses.
type activation struct {
	LicenseID string `json:"licenseId"`
	wire.Activation
}

func (s *Source) activations(ctx context.Context, _ string) (any, error) {
	list, err := s.own(ctx)
	if err != nil {
		return nil, err
	}
	found := []activation{}
	for _, l := range list {
		if l.License.Instances+l.License.DevelopmentInstances == 0 {
			continue
		}
		some, err := all(func(limit, offset int) ([]license.Activation, int, error) {
			return s.Licenses.ListOwnActivations(ctx, l.License.ID, limit, offset)
		})
		if err != nil {
			return nil, err
		}
		for _, a := range some {
			found = append(found, activation{l.License.ID, wire.NewActivation(a)})
		}
	}
	return found, nil
}

// written is a review with what it is about.
type written struct {
	wire.Review

	ProductSlug string `json:"productSlug"`
	Hidden      bool   `json:"hidden"`
}

func (s *Source) reviews(ctx context.Context, userID string) (any, error) {
	list, err := all(func(limit, offset int) ([]review.Review, int, error) {
		return s.Reviews.Find(ctx, review.Query{UserID: userID, Limit: limit, Offset: offset})
	})
	return web.Items(list, func(r review.Review) written {
		return written{wire.NewReview(r), r.ProductSlug, r.Hidden}
	}), err
}

// entry is an entry of the audit log about the user, or of what the user did. Who else did something, and from where,
// is nobody's business.
type entry struct {
	At      web.Timestamp `json:"at"`
	Action  string        `json:"action"`
	By      string        `json:"by"` // "you", or the kind of another actor
	Target  string        `json:"target"`
	Address string        `json:"address,omitempty"`
	Details audit.Details `json:"details"`
}

func (s *Source) audit(ctx context.Context, userID string) (any, error) {
	found, seen := []entry{}, map[string]bool{}
	for _, q := range []audit.Query{{Target: "user:" + userID}, {Actor: userID}} {
		list, err := all(func(limit, offset int) ([]audit.Entry, int, error) {
			q.Limit, q.Offset = limit, offset
			return s.Audit.List(ctx, q)
		})
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if seen[e.ID] {
				continue
			}
			seen[e.ID] = true
			one := entry{
				At: web.Timestamp(e.At), Action: string(e.Action), By: string(e.Actor.Kind),
				Target: e.Target.Type + ":" + e.Target.ID, Details: e.Details,
			}
			if e.Actor.Kind == audit.User && e.Actor.ID == userID {
				one.By, one.Address = "you", e.Address
			}
			if one.Target != "user:"+userID { // what it says may be about somebody else
				one.Details = audit.Details{}
			}
			if one.By != "you" {
				for _, name := range []string{"plannedBy", "staff", "reason"} { // who it was, and what they wrote
					delete(one.Details, name)
				}
			}
			found = append(found, one)
		}
	}
	return found, nil
}
