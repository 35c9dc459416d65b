package apikey

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
)

const (
	// between is how long a use is not noted after one that was.
	between = time.Minute
	// usesKept is how many keys Uses tells apart. Beyond that it forgets which were noted, and notes them again.
	usesKept = 10_000
)

// Uses notes when keys were last used, and from where: beside the requests, and once a minute for each key. What was
// not noted yet when a process is killed is lost. Its fields are required; it is safe for concurrent use. Whoever calls
// Start must call Close.
type Uses struct {
	Store Store
	Now   func() time.Time
	Log   *slog.Logger

	rounds mail.Rounds

	mu      sync.Mutex
	started bool
	noted   map[string]time.Time
	due     map[string]use
}

type use struct {
	key     Key
	at      time.Time
	address string
}

// Start notes uses in the background.
func (u *Uses) Start(ctx context.Context) {
	u.mu.Lock()
	u.started = true
	u.mu.Unlock()
	u.rounds.Start(ctx, u.next)
}

// Close stops and notes what is due.
func (u *Uses) Close() {
	u.rounds.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for u.next(ctx) {
	}
}

// Idle waits until the uses so far are noted.
func (u *Uses) Idle(ctx context.Context) error { return u.rounds.Idle(ctx) }

// Note has a use of a key noted that the request of ctx makes, unless it was a moment ago. It waits for nothing.
func (u *Uses) Note(ctx context.Context, k Key) {
	if u == nil {
		return
	}
	now := u.Now()
	u.mu.Lock()
	last, seen := u.noted[k.ID]
	if !u.started || seen && now.Before(last.Add(between)) {
		u.mu.Unlock()
		return
	}
	if u.noted == nil || len(u.noted) >= usesKept {
		u.noted = make(map[string]time.Time)
	}
	if u.due == nil {
		u.due = make(map[string]use)
	}
	address := ""
	if a := reqctx.AddrFrom(ctx); a.IsValid() {
		address = a.String()
	}
	u.noted[k.ID], u.due[k.ID] = now, use{k, now, address}
	u.mu.Unlock()
	u.rounds.Wake()
}

// next notes one use. It reports whether there was one.
func (u *Uses) next(ctx context.Context) (more bool) {
	u.mu.Lock()
	var one use
	for id, first := range u.due {
		one, more = first, true
		delete(u.due, id)
		break
	}
	u.mu.Unlock()
	if !more {
		return false
	}
	if err := u.note(ctx, one); err != nil && ctx.Err() == nil {
		u.Log.WarnContext(ctx, "the use of an API key was not noted", slog.String("key", one.key.ID), slog.Any("err", err))
	}
	return true
}

func (u *Uses) note(ctx context.Context, one use) error {
	return u.Store.InTx(ctx, func(tx Store) error {
		noted, known, err := tx.Used(ctx, one.key.ID, one.at, one.address)
		if err != nil || !noted || known || one.address == "" {
			return err
		}
		e := audit.New(ctx, one.at, audit.KeyFirstUse, audit.Target{Type: "apikey", ID: one.key.ID},
			audit.Details{"name": one.key.Name})
		e.Address = one.address
		e.Actor = audit.Actor{Kind: audit.User, ID: one.key.UserID}
		if one.key.Kind() == Service {
			e.Actor = audit.Actor{Kind: audit.Service, ID: one.key.AccountID}
		}
		return tx.Record(ctx, e)
	})
}
