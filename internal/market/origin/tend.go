package origin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/market/terms"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
)

const (
	// lookEvery is how long a change may go unnoticed that nobody told of: by a command, or by a process that was killed.
	lookEvery = 2 * time.Second
	// keepReplaced is for how long files stay that were replaced: whoever began to read them can end.
	keepReplaced = time.Hour
)

// warnBefore are the days before the end of the root on which administrators are mailed.
var warnBefore = []int{60, 30, 7}

// WarnBefore is how long before the end of the root its renewal is due.
const WarnBefore = 60 * 24 * time.Hour

// Tend keeps the metadata true and fresh, until ctx ends. One process at a time does it.
func (s *Service) Tend(ctx context.Context) {
	var compared time.Time // by the clock that life times are counted by
	task := background.Task{Every: lookEvery, Log: s.Log, Failed: "the metadata of the market cannot be signed"}
	task.Run(ctx, func(ctx context.Context) error {
		now := s.Now()
		stale, err := s.Stale(ctx)
		if err != nil {
			return err
		}
		age := now.Sub(compared)
		if !stale && age >= 0 && age < resignEvery {
			return nil
		}
		err = s.Catchup(ctx)
		if err == nil || now.Sub(compared) >= resignEvery {
			compared = now
		}
		return err
	})
}

// Catchup signs everything that is due, removes what nobody reads any more, and tells of what the operator has to do.
func (s *Service) Catchup(ctx context.Context) error {
	unread := s.Describe(ctx) // the others are offered all the same
	err := errors.Join(unread, s.Sync(ctx), s.Store.Sweep(ctx, s.Now().Add(-keepReplaced)), s.settle(ctx))
	return errors.Join(err, s.warn(ctx))
}

// Due is what the operator has to do.
type Due struct {
	// RootEndsAt is when the root ends: from WarnBefore before that, it is to be renewed.
	RootEndsAt time.Time
	// Restored says that a backup brought the market back, and that keys and root are still those of the backup.
	Restored bool
}

// Due returns what the operator has to do, or ErrNone without a market.
func (s *Service) Due(ctx context.Context) (Due, error) {
	root, err := s.Root(ctx)
	if err != nil {
		return Due{}, err
	}
	restored, _, err := s.restored(ctx, root.Version)
	return Due{RootEndsAt: root.ExpiresAt, Restored: restored}, err
}

// restored reports whether keys and root are those of a backup. over says that they no longer are, which the state does
// not know yet.
func (s *Service) restored(ctx context.Context, root int64) (is, over bool, err error) {
	st, err := s.Store.State(ctx)
	if err != nil || st.RestoredRoot == 0 {
		return false, false, err
	}
	mark, err := s.Store.Mark(ctx)
	if err != nil {
		return false, false, err
	}
	is = root <= st.RestoredRoot || mark.Signer == st.RestoredKey
	return is, !is, nil
}

// settle forgets a backup whose keys and root were replaced.
func (s *Service) settle(ctx context.Context) error {
	root, err := s.Root(ctx)
	if err != nil {
		return err
	}
	is, over, err := s.restored(ctx, root.Version)
	if is {
		s.Log.ErrorContext(ctx, "the market was restored from a backup: run stoa keys rotate --purpose market, then "+
			"stoa market root renew, so that other stoas drop what was signed after the backup")
	}
	if err != nil || !over {
		return err
	}
	return s.Store.InTx(ctx, func(tx Store) error {
		st, err := tx.State(ctx)
		if err != nil {
			return err
		}
		st.RestoredRoot, st.RestoredKey = 0, ""
		return tx.PutState(ctx, st)
	})
}

// dueWarning returns how many days before the end of a root administrators should have been mailed: 60, 30 or 7; 0 if
// there is time.
func dueWarning(end, now time.Time) (days int) {
	for _, d := range warnBefore {
		if !now.Before(end.Add(-time.Duration(d) * 24 * time.Hour)) {
			days = d
		}
	}
	return days
}

// warn logs and mails that the root ends, once for each of warnBefore.
func (s *Service) warn(ctx context.Context) error {
	root, err := s.Root(ctx)
	if err != nil {
		return err
	}
	days := dueWarning(root.ExpiresAt, s.Now())
	if days == 0 {
		return nil
	}
	mine, warned := false, fmt.Sprintf("%d/%d", root.Version, days)
	err = s.Store.InTx(ctx, func(tx Store) error {
		mine = false
		st, err := tx.State(ctx)
		if err != nil || st.Warned == warned {
			return err
		}
		mine, st.Warned = true, warned
		return tx.PutState(ctx, st)
	})
	if err != nil || !mine {
		return err
	}
	s.Log.WarnContext(ctx, "the root of the market ends: renew it with stoa market root renew (docs/market.md)",
		slog.String("role", terms.Root), slog.Time("ends", root.ExpiresAt))
	admins, err := s.Administrators.Admins(ctx)
	for _, to := range admins {
		s.Poster.Post(ctx, func(context.Context) (mail.Message, bool, error) {
			return template.MarketRootEnds.Message(to.Address, to.Language, map[string]string{
				template.Until: template.Moment(root.ExpiresAt),
			}), true, nil
		})
	}
	return err
}
