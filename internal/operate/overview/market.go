package overview

import (
	"context"
	"fmt"
	"time"
)

// Market is what the operator of a market has to do. The zero value is nothing.
type Market struct {
	RootEndsAt time.Time // of the root, by which other stoas trust this one
	WarnFrom   time.Time
	Restored   bool // a backup brought back its keys
}

// rootUrgent is how long before its end a root is an error.
const rootUrgent = 7 * day

func (s *Service) marketDue(ctx context.Context, now time.Time) (list []Concern, err error) {
	if s.Market == nil {
		return nil, nil
	}
	m, err := s.Market(ctx)
	if err != nil || m.RootEndsAt.IsZero() {
		return nil, err
	}
	if m.Restored {
		list = append(list, Concern{
			Kind: MarketRestored, Severity: Error, Count: 1, Since: now,
			Message: "The market was restored from a backup. Rotate its keys and renew its root.",
		})
	}
	if now.Before(m.WarnFrom) {
		return list, nil
	}
	c := Concern{
		Kind: MarketRootEnds, Severity: Warning, Count: 1, Since: m.WarnFrom,
		Message: fmt.Sprintf("The root of the market ends on %s. Renew it.", m.RootEndsAt.Format("2 January 2006")),
	}
	if !now.Before(m.RootEndsAt.Add(-rootUrgent)) {
		c.Severity = Error
	}
	return append(list, c), nil
}
