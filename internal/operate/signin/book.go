package signin

import (
	"context"
	"sync/atomic"

	"stoa/internal/account"
	"stoa/internal/account/live"
	"stoa/internal/operate/settings"
)

// Book is the account.RuleBook of these settings. Make it with NewBook. It is safe for concurrent use.
type Book struct {
	store Store
	fixed settings.SignIn
	demo  bool
	kept  *live.One[account.Rules]
	last  atomic.Pointer[page]
	reads atomic.Int64
}

// page is what was read of the rules. started counts the reads: the database may have gone back meanwhile, so that its
// versions do not tell what is later.
type page struct {
	started int64
	state   string
	rules   account.Rules
}

var _ account.RuleBook = (*Book)(nil)

// NewBook returns the rules that follow from what the environment fixes and what store has, which kept remembers under
// RowName. The error says which fixed value is not known.
func NewBook(store Store, fixed settings.SignIn, demo bool, kept *live.One[account.Rules]) (*Book, error) {
	if _, err := AccountRules(fixed, demo); err != nil {
		return nil, err
	}
	return &Book{store: store, fixed: fixed, demo: demo, kept: kept}, nil
}

// Since implements account.RuleBook.
func (b *Book) Since(ctx context.Context, state string) (account.Rules, error) {
	if known, ok := b.kept.Get(); ok {
		return known, nil
	}
	if last := b.last.Load(); state != "" && last != nil && last.state == state {
		return last.rules, nil
	}
	at, started := b.kept.Moment(), b.reads.Add(1) // before asking
	set, err := b.store.SignIn(ctx)
	if err != nil {
		return account.Rules{}, err
	}
	rules, err := AccountRules(b.over(set.Values), b.demo)
	if err != nil {
		return account.Rules{}, err
	}
	b.see(&page{started, set.State(), rules}) // first: whoever finds them kept decides by Last
	b.kept.Put(at, rules)
	return rules, nil
}

// Last implements account.RuleBook.
func (b *Book) Last() account.Rules {
	if p := b.last.Load(); p != nil {
		return p.rules
	}
	return account.Rules{}
}

// see keeps a page unless one was seen that was read later.
func (b *Book) see(p *page) {
	for {
		last := b.last.Load()
		if last != nil && last.started > p.started || b.last.CompareAndSwap(last, p) {
			return
		}
	}
}

// over returns what holds: what the environment fixes, over what is stored as far as this release knows it.
func (b *Book) over(stored settings.SignIn) settings.SignIn {
	for _, s := range specs() {
		if at := s.Of(&stored); *at != "" && !s.takes(*at) {
			*at = ""
		}
	}
	return b.fixed.Over(stored)
}
