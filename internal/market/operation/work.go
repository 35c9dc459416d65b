package operation

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/remote"
	"stoa/internal/trust/audit"
)

const (
	// leaseFor is how long others leave an operation alone after its lease was renewed: if a process is killed, another
	// goes on after that time.
	leaseFor   = 30 * time.Second
	renewEvery = 10 * time.Second
	keepWithin = 10 * time.Second // for writing what has become of an operation

	// The waits after a step that had no answer double up to the last.
	firstPause = 2 * time.Second
	lastPause  = time.Minute

	// A market is asked whether a purchase is paid often at first: somebody is looking.
	claimEvery    = 2 * time.Second
	claimOften    = 10 * time.Minute
	claimSeldom   = time.Minute
	paymentWithin = 14*24*time.Hour + time.Hour // for how long a market that does not answer, or waits, is asked for a key
)

var (
	// errUnpaid ends a round of a purchase that is not paid yet.
	errUnpaid = errors.New("operation: not paid yet")
	// errLost ends the work of who has the lease no longer: whoever has it now goes on, and decides how it ends.
	errLost = errors.New("operation: another worker has it")
)

// Start carries operations on in the background until Close is called or ctx is done.
func (s *Service) Start(ctx context.Context) { s.rounds.Start(ctx, s.next) }

// Close stops the work and returns when what is in progress has stopped. Operations stay in the database.
func (s *Service) Close() {
	s.mu.Lock()
	if s.alarm != nil {
		s.alarm.Stop()
	}
	s.mu.Unlock()
	s.rounds.Close()
}

// Idle waits until every operation that was due has been carried on as far as it goes now. It returns nil, or the error
// of ctx.
func (s *Service) Idle(ctx context.Context) error {
	s.rounds.Wake()
	return s.rounds.Idle(ctx)
}

// next carries one operation on and reports whether more may be due.
func (s *Service) next(ctx context.Context) (more bool) {
	lease, now := rand.Text(), s.now()
	o, ok, err := s.Store.Lease(ctx, lease, now, now.Add(leaseFor))
	if err != nil {
		if ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "operations of markets cannot be read", slog.Any("err", err))
		}
		return false
	}
	if !ok {
		s.setAlarm(ctx)
		return false
	}
	s.carryOn(ctx, o, lease)
	return true
}

// setAlarm has the work wake up when the next operation is due.
func (s *Service) setAlarm(ctx context.Context) {
	at, ok, err := s.Store.Next(ctx)
	if err != nil || !ok {
		return // the next round finds out
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alarm != nil {
		s.alarm.Stop()
	}
	s.alarm = time.AfterFunc(max(at.Sub(s.now()), firstPause/4), s.rounds.Wake)
}

// carryOn carries a leased operation on as far as it goes.
func (s *Service) carryOn(ctx context.Context, stored Stored, lease string) {
	o, err := s.open(stored)
	w := &work{s: s, o: o, lease: lease}
	if err != nil { // the master key is another one
		w.o, w.sealed = stored.Operation, stored.Sealed
		w.later(ctx, err)
		return
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	go w.renew(working, stop)
	err = w.run(working)
	switch {
	case err == nil:
	case errors.Is(err, errLost):
		w.lost(ctx)
	case ctx.Err() != nil: // stoa stops: whoever comes next goes on at once
		w.o.DueAt = s.now()
		w.settled(ctx, w.keep(ctx, false))
	case final(err):
		w.fail(ctx, err)
	default:
		w.later(ctx, err)
	}
}

// work is an operation in the hands of who carries it on. Nobody else changes the row while the lease lasts.
type work struct {
	s      *Service
	at     seller // the market, once it was looked up
	o      Operation
	lease  string
	sealed string // in place of o.Secrets, which could not be opened
}

// renew keeps the lease until ctx is done. If it is lost, it calls lost.
func (w *work) renew(ctx context.Context, lost func()) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if errors.Is(w.hold(ctx), errLost) {
			lost()
			return
		}
	}
}

// hold makes the lease last on. The error is errLost if another worker has it.
func (w *work) hold(ctx context.Context) error {
	ok, err := w.s.Store.Renew(ctx, w.o.ID, w.lease, w.s.now().Add(leaseFor))
	if err == nil && !ok {
		return errLost
	}
	return err
}

// lost notes that somebody else carries the operation on. Nothing is written, failed or given back.
func (w *work) lost(ctx context.Context) {
	w.log(ctx, slog.LevelInfo, "an operation of a market went on elsewhere", nil)
}

// run does what is left to do. Every part of it can be repeated.
func (w *work) run(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("operation: panic: %v", p)
		}
	}()
	m, err := w.s.Markets.Get(ctx, w.o.Market)
	if err != nil {
		return w.lasting(err)
	}
	w.at = w.s.seller(m)
	if err := w.pay(ctx); err != nil {
		return err
	}
	if err := w.tryOut(ctx); err != nil {
		return unanswered(err)
	}
	if err := w.activate(ctx); err != nil {
		return err
	}
	if err := w.install(ctx); err != nil {
		return err
	}
	w.o.State, w.o.DueAt = Done, time.Time{}
	w.o.reach(Running, w.s.now())
	w.o.Secrets = Secrets{}
	return w.keep(ctx, false)
}

// pay gets the key of a purchase once it is paid.
func (w *work) pay(ctx context.Context) error {
	if w.o.Kind != Purchase || w.o.Has(Paid) {
		return nil
	}
	key, ok, err := w.at.claim(ctx, w.o.HandoffID, w.o.Secrets.Handoff)
	switch {
	case errors.Is(err, ErrExpired), err != nil && w.s.now().After(w.o.CreatedAt.Add(paymentWithin)):
		return ErrExpired
	case err != nil: // somebody may have paid: nothing else that a market says ends it
		return remote.ErrUnreachable.Because(err)
	case !ok && w.s.now().After(w.o.CreatedAt.Add(paymentWithin)):
		return ErrExpired
	case !ok:
		return errUnpaid
	}
	w.o.Secrets.Key = key
	w.o.reach(Paid, w.s.now())
	return w.keep(ctx, true, w.o.entry(ctx, w.o.Actor.Caller(), audit.MarketPurchase, w.s.now()))
}

// tryOut gets the key of a trial.
func (w *work) tryOut(ctx context.Context) error {
	if w.o.Kind != Trial || w.o.Secrets.Key != "" {
		return nil
	}
	key, err := w.at.trial(ctx, w.o.Product, w.o.Tier, w.s.instance(), w.o.Secrets.Email, w.o.ID)
	if err != nil {
		return err
	}
	w.o.Secrets = Secrets{Key: key}
	return w.keep(ctx, true, w.o.entry(ctx, w.o.Actor.Caller(), audit.MarketTrial, w.s.now()))
}

// activate takes the seat, and has the key kept.
func (w *work) activate(ctx context.Context) error {
	if !w.o.Licensed || w.o.Has(Activated) {
		return nil
	}
	if err := w.hold(ctx); err != nil {
		return err
	}
	// What came from elsewhere meanwhile is not to stop with this license, nor to lose its own.
	if err := w.s.free(ctx, w.o); err != nil {
		return err
	}
	kept, held, err := w.s.Licenses.Key(ctx, w.o.subject())
	switch {
	case err != nil:
		return err
	case held && w.o.Secrets.Kept: // maybe another one than when this began
		w.o.Secrets.Key = kept
	case w.o.Kind == Trial && kept != w.o.Secrets.Key:
		if err := w.s.untried(ctx, w.o); err != nil {
			return err
		}
	}
	if err := w.take(ctx); err != nil {
		return err
	}
	return w.reach(ctx, Activated)
}

// take takes the seat.
func (w *work) take(ctx context.Context) error {
	_, err := w.s.Licenses.Activate(ctx, w.o.subject(), w.o.Secrets.Key)
	if errs.KindOf(err) == errs.Forbidden && !w.passes(err) { // that is what the market signed
		return err
	}
	return w.lasting(err)
}

// passes reports whether a refusal may end by itself: a seat may become free, and a payment arrive.
func (w *work) passes(refused error) bool {
	e, ok := errors.AsType[*errs.Error](refused)
	return ok && (e.Details["reason"] == string(entitlement.NotActivated) ||
		e.Details["reason"] == string(entitlement.Unpaid))
}

// license brings the license of the package in order, whatever happened since it was activated: what was purged took it
// along, and what is free has none.
func (w *work) license(ctx context.Context) error {
	_, held, err := w.s.Licenses.Key(ctx, w.o.subject())
	switch {
	case err != nil:
		return err
	case held && !w.o.Licensed:
		return w.s.Licenses.Release(ctx, w.o.Package.Kind, w.o.Package.Slug)
	case !held && w.o.Licensed:
		return w.take(ctx)
	}
	return nil
}

// bought reports whether there is a key that would be lost with the operation: somebody paid for it, or it is that of
// the only trial.
func (w *work) bought() bool { return w.o.Kind != Install && w.o.Secrets.Key != "" }

// lasting returns an error of the market's so that it does not end an operation with a key that was bought: whatever
// state the market is in, and whatever it serves, may get better.
func (w *work) lasting(err error) error {
	if err != nil && w.bought() && final(err) {
		return remote.ErrUnreachable.Because(err)
	}
	return err
}

// unanswered returns the error of a request so that what no market says counts as no answer: something else stood in
// its place for a while.
func unanswered(err error) error {
	if errors.Is(err, remote.ErrUntrusted) {
		return remote.ErrUnreachable.Because(err)
	}
	return err
}

// reach records a step.
func (w *work) reach(ctx context.Context, step Step) error {
	w.o.reach(step, w.s.now())
	return w.keep(ctx, true)
}

// keep stores the operation as it is, even if ctx has ended. With goesOn the lease lasts on.
func (w *work) keep(ctx context.Context, goesOn bool, entries ...audit.Entry) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepWithin)
	defer cancel()
	switch {
	case goesOn:
		w.o.DueAt = w.s.now().Add(leaseFor)
	case w.o.State != Pending:
		w.o.EndedAt = w.s.now()
	}
	stored := Stored{w.o, w.sealed}
	if w.sealed == "" {
		var err error
		if stored, err = w.s.seal(w.o); err != nil {
			return err
		}
	}
	err := w.s.Store.Keep(ctx, stored, w.lease, goesOn, entries...)
	if errs.KindOf(err) == errs.NotFound {
		return errLost
	}
	return err
}

// goOn ends the lease: the operation is carried on by whoever is free.
func (w *work) goOn(ctx context.Context) error {
	w.o.DueAt = w.s.now()
	err := w.keep(ctx, false)
	w.s.rounds.Wake()
	return err
}

// later has the operation tried again after a while.
func (w *work) later(ctx context.Context, why error) {
	pause := claimEvery
	w.o.Waiting = nil
	switch {
	case !errors.Is(why, errUnpaid):
		w.o.Waiting = newFailure(cause(why))
		w.o.Attempts++
		pause = min(firstPause<<min(w.o.Attempts-1, 10), lastPause)
		w.log(ctx, slog.LevelWarn, "an operation of a market has no answer, trying again", why)
	case w.s.now().Sub(w.o.CreatedAt) >= claimOften:
		pause = claimSeldom
	}
	w.o.DueAt = w.s.now().Add(pause)
	w.settled(ctx, w.keep(ctx, false))
}

// fail ends the operation. What was paid for is not lost: the key of a purchase and a trial stays here, sealed, and an
// install goes on with it. A key that somebody brought for nothing is given back its seat. The entries go to the audit
// log with the end.
func (w *work) fail(ctx context.Context, why error, entries ...audit.Entry) {
	if w.o.Kind == Install && !w.o.Secrets.Kept && w.o.Has(Activated) {
		if err := w.giveBack(ctx); errors.Is(err, errLost) {
			w.lost(ctx)
			return
		} else if err != nil {
			w.later(ctx, err)
			return
		}
	}
	secrets := Secrets{}
	if w.bought() {
		secrets.Key = w.o.Secrets.Key // for the next install
	} else if w.o.Kind == Install || !w.o.Has(Paid) {
		w.sealed = ""
	}
	w.o.State, w.o.Failure, w.o.Waiting, w.o.DueAt, w.o.Secrets = Failed, newFailure(why), nil, time.Time{}, secrets
	w.log(ctx, slog.LevelWarn, "an operation of a market failed", why)
	w.settled(ctx, w.keep(ctx, false, entries...))
}

// giveBack frees the seat if nothing of the package is installed, and the key is still the one that is kept.
func (w *work) giveBack(ctx context.Context) error {
	if err := w.hold(ctx); err != nil {
		return err
	}
	kept, _, err := w.s.Licenses.Key(ctx, w.o.subject())
	if err != nil || kept != w.o.Secrets.Key {
		return err
	}
	installed, err := w.s.Installer.Installed(ctx)
	if err != nil {
		return err
	}
	if _, is := present(installed, w.o.Package.Kind, w.o.Package.Slug); is {
		return nil
	}
	return w.s.Licenses.Release(ctx, w.o.Package.Kind, w.o.Package.Slug)
}

func (w *work) settled(ctx context.Context, err error) {
	if errors.Is(err, errLost) {
		w.lost(ctx)
	} else if err != nil { // it goes on when the lease ends
		w.log(ctx, slog.LevelError, "an operation of a market cannot be stored", err)
	}
}

func (w *work) log(ctx context.Context, level slog.Level, message string, err error) {
	w.s.Log.LogAttrs(ctx, level, message, slog.String("operation", w.o.ID), slog.String("market", w.o.Market),
		slog.String("product", w.o.Product), slog.String("step", string(w.o.Step())), slog.Any("err", err))
}
