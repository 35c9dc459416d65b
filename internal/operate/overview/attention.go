package overview

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa/internal/trust/keyring"
)

const (
	// maxConcerns is the maximum number of listed concerns of a kind.
	maxConcerns = 20
	// pendingFor is how long an order may be pending: payment pages expire sooner.
	pendingFor = time.Hour
	// failedWithin is how long the failure of an instance that is running again is shown.
	failedWithin = time.Hour
	// lookBack is the age up to which failures are searched, and failed receipts are shown.
	lookBack = 7 * day
)

// rotateAfter is how long a key of a purpose should sign (docs/operating.md, Signing keys), plus
// some time to act.
func rotateAfter(purpose string) time.Duration {
	if purpose == "license" || purpose == "market" { // with the root, which ends after 400 days
		return 400 * day
	}
	return 100 * day
}

// attention returns the concerns, errors first.
func (s *Service) attention(ctx context.Context, now time.Time) (all []Concern, err error) {
	for _, look := range []func(context.Context, time.Time) ([]Concern, error){
		s.storage, s.instances, s.plugins, s.webhooks, s.receipts, s.orders, s.keys, s.staff, s.breached, s.factorResets,
		s.apiKeys, s.backups, s.marketDue,
	} {
		found, err := look(ctx, now)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b Concern) int {
		if a.Severity == b.Severity {
			return 0
		}
		if a.Severity == Error {
			return -1
		}
		return 1
	})
	return all, nil
}

func (s *Service) instances(ctx context.Context, now time.Time) (list []Concern, err error) {
	failures, err := s.Store.Failures(ctx, now.Add(-lookBack), maxConcerns)
	for _, f := range failures {
		c := Concern{Count: 1, Since: f.At, Message: f.text(), Slug: f.Slug, InstallationID: f.InstallationID}
		switch {
		case f.Disabled || s.Broken(f.InstallationID):
			c.Kind, c.Severity = InstanceFailing, Error
		case f.At.After(now.Add(-failedWithin)):
			c.Kind, c.Severity = InstanceFailed, Warning
		default:
			continue
		}
		list = append(list, c)
	}
	return list, err
}

func (s *Service) plugins(ctx context.Context, _ time.Time) (list []Concern, err error) {
	dead, err := s.Store.DeadDeliveries(ctx, false, maxConcerns)
	if err != nil {
		return nil, err
	}
	for _, p := range dead {
		list = append(list, Concern{
			Kind: PluginDead, Severity: Error, Count: p.Count, Since: p.Since, Slug: p.Owner,
			Message: fmt.Sprintf("Given up: %s to %s.", things(p.Count, "hook or event", "hooks and events"), p.Owner),
		})
	}
	failing, err := s.Store.FailingDeliveries(ctx, maxConcerns)
	for _, p := range failing {
		list = append(list, Concern{
			Kind: PluginWaiting, Severity: Warning, Count: p.Count, Since: p.Since, Slug: p.Owner,
			Message: fmt.Sprintf("Failed, to be tried again: %s to %s.",
				things(p.Count, "hook or event", "hooks and events"), p.Owner),
		})
	}
	if err != nil {
		return nil, err
	}
	asking, err := s.Store.Undecided(ctx, maxConcerns)
	if err != nil {
		return nil, err
	}
	for _, p := range asking {
		list = append(list, Concern{
			Kind: PluginAsks, Severity: Warning, Count: p.Count, Since: p.Since, Slug: p.Slug, InstallationID: p.InstallationID,
			Message: p.Slug + " asks for more, and nobody has decided: " + some(p.Permissions) + ".",
		})
	}
	untold, err := s.Store.Untold(ctx, maxConcerns)
	for _, p := range untold {
		list = append(list, Concern{
			Kind: PluginUntold, Severity: Warning, Count: p.Count, Since: p.Since, Slug: p.Owner,
			Message: p.Owner + " reads users, and does not ask to be told when one is deleted.",
		})
	}
	return list, err
}

func (s *Service) webhooks(ctx context.Context, _ time.Time) (list []Concern, err error) {
	troubled, err := s.Store.TroubledWebhooks(ctx, maxConcerns)
	if err != nil {
		return nil, err
	}
	hosts := make(map[string]string)
	for _, w := range troubled {
		hosts[w.ID] = w.Host
		c := Concern{
			Kind: WebhookFailing, Severity: Warning, Count: 1, Since: w.Since, WebhookID: w.ID,
			Message: fmt.Sprintf("The webhook at %s fails.", w.Host),
		}
		if w.Disabled {
			c.Kind, c.Severity = WebhookDisabled, Error
			c.Message = fmt.Sprintf("The webhook at %s was disabled. %s", w.Host, w.Reason)
		}
		list = append(list, c)
	}
	dead, err := s.Store.DeadDeliveries(ctx, true, maxConcerns)
	for _, p := range dead {
		list = append(list, Concern{
			Kind: WebhookDead, Severity: Error, Count: p.Count, Since: p.Since, WebhookID: p.Owner,
			Message: "Given up: " + things(p.Count, "event", "events") + " to a webhook.",
		})
	}
	return list, err
}

func (s *Service) receipts(ctx context.Context, now time.Time) (list []Concern, err error) {
	failed, err := s.Store.FailedReceipts(ctx, now.Add(-lookBack))
	if err != nil {
		return nil, err
	}
	if failed.Count > 0 {
		list = append(list, Concern{
			Kind: ReceiptsFailed, Severity: Error, Count: failed.Count, Since: failed.Since,
			Message: "Not mailed: " + things(failed.Count, "receipt", "receipts") + ".",
		})
	}
	waiting, err := s.Store.WaitingReceipts(ctx)
	if waiting.Count > 0 {
		list = append(list, Concern{
			Kind: ReceiptsWaiting, Severity: Warning, Count: waiting.Count, Since: waiting.Since,
			Message: "Not mailed yet, to be tried again: " + things(waiting.Count, "receipt", "receipts") + ".",
		})
	}
	return list, err
}

func (s *Service) orders(ctx context.Context, now time.Time) ([]Concern, error) {
	pending, err := s.Store.PendingOrders(ctx, now.Add(-pendingFor))
	if err != nil || pending.Count == 0 {
		return nil, err
	}
	return []Concern{{
		Kind: OrdersPending, Severity: Warning, Count: pending.Count, Since: pending.Since,
		Message: "Pending for longer than an hour: " + things(pending.Count, "order", "orders") + ".",
	}}, nil
}

func (s *Service) keys(ctx context.Context, now time.Time) (list []Concern, err error) {
	for _, ring := range s.Rings {
		keys, err := ring.List(ctx)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			if k.Stage != keyring.StageCurrent || now.Before(k.Since.Add(rotateAfter(ring.Purpose.Name))) {
				continue
			}
			list = append(list, Concern{
				Kind: KeysDue, Severity: Warning, Count: 1, Since: k.Since, Purpose: ring.Purpose.Name,
				Message: fmt.Sprintf("The %s key has signed since %s. Rotate it.", ring.Purpose.Name,
					k.Since.Format("2 January 2006")),
			})
		}
	}
	return list, nil
}

func (s *Service) backups(ctx context.Context, now time.Time) (list []Concern, err error) {
	taken, verified, err := s.Store.Backups(ctx)
	if err != nil {
		return nil, err
	}
	if taken.FailedAt.After(taken.OKAt) {
		list = append(list, Concern{
			Kind: BackupFailed, Severity: Error, Count: 1, Since: taken.FailedAt,
			Message: "The last backup failed: " + taken.Error,
		})
	}
	if s.BackupEvery > 0 && !taken.OKAt.IsZero() && now.After(taken.OKAt.Add(2*s.BackupEvery)) {
		list = append(list, Concern{
			Kind: BackupOld, Severity: Error, Count: 1, Since: taken.OKAt,
			Message: fmt.Sprintf("The last backup is of %s.", taken.OKAt.Format("2 January 2006, 15:04 UTC")),
		})
	}
	if verified.FailedAt.After(verified.OKAt) {
		list = append(list, Concern{
			Kind: VerifyFailed, Severity: Error, Count: 1, Since: verified.FailedAt,
			Message: "A backup could not be verified: " + verified.Error,
		})
	}
	return list, nil
}

func (s *Service) staff(ctx context.Context, _ time.Time) ([]Concern, error) {
	if s.StaffFactor == nil {
		return nil, nil
	}
	wanted, passkey := s.StaffFactor()
	if !wanted {
		return nil, nil
	}
	without, err := s.Store.StaffWithoutFactor(ctx, passkey)
	if err != nil || without.Count == 0 {
		return nil, err
	}
	lacking := "Without a second factor: "
	if passkey {
		lacking = "Without a passkey: "
	}
	return []Concern{{
		Kind: StaffFactorLacking, Severity: Warning, Count: without.Count, Since: without.Since,
		Message: lacking + things(without.Count, "member of the staff", "members of the staff") + ".",
	}}, nil
}

func (s *Service) breached(ctx context.Context, _ time.Time) ([]Concern, error) {
	found, err := s.Store.BreachedStaff(ctx)
	if err != nil || found.Count == 0 {
		return nil, err
	}
	return []Concern{{
		Kind: StaffBreached, Severity: Warning, Count: found.Count, Since: found.Since,
		Message: "With a password that attackers try first: " +
			things(found.Count, "member of the staff", "members of the staff") + ".",
	}}, nil
}

// resetLife is for how long after it is due a reset of a second factor waits for a sign-in (contract 2.16).
const resetLife = 7 * day

func (s *Service) factorResets(ctx context.Context, now time.Time) ([]Concern, error) {
	planned, err := s.Store.FactorResets(ctx, now.Add(-resetLife))
	if err != nil || planned.Count == 0 {
		return nil, err
	}
	return []Concern{{
		Kind: FactorResets, Severity: Warning, Count: planned.Count, Since: planned.Since,
		Message: "Planned: the removal of " + things(planned.Count, "second factor", "second factors") + ".",
	}}, nil
}

// How long an API key is unused, and how soon it ends, before it wants attention.
const (
	keyUnused = 90 * day
	keyEnding = 7 * day
)

func (s *Service) apiKeys(ctx context.Context, now time.Time) (list []Concern, err error) {
	found, err := s.Store.KeysInNeed(ctx, now, now.Add(-keyUnused), now.Add(keyEnding))
	if err != nil {
		return nil, err
	}
	add := func(kind Kind, of Pile, since time.Time, what string) {
		if of.Count > 0 {
			list = append(list, Concern{
				Kind: kind, Severity: Warning, Count: of.Count, Since: since,
				Message: what + things(of.Count, "API key", "API keys") + ".",
			})
		}
	}
	add(KeysExpiring, found.Expiring, found.Expiring.Since.Add(-keyEnding), "Ends within 7 days: ")
	add(KeysUnused, found.Unused, found.Unused.Since.Add(keyUnused), "Unused for 90 days: ")
	add(KeysBeyondCreator, found.BeyondCreator, found.BeyondCreator.Since, "Allowed more than whoever made it: ")
	return list, nil
}

// some names the first few of a list.
func some(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// things returns a number with its noun.
func things(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
