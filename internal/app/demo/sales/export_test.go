package sales

import "context"

// MakeFirst makes the first n sales, and of the last of them only the order: as a Make that ended there.
func (s *Shop) MakeFirst(ctx context.Context, b Start, n int) error {
	list := plan()[:n]
	list[n-1].instances, list[n-1].refund = nil, 0
	return s.make(ctx, b, list)
}

// Planned returns how many sales there are.
func Planned() int { return len(plan()) }
