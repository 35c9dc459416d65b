package paging

import (
	"iter"
	"time"
)

// Mark is the place of an entry in a list whose latest entries come first.
type Mark struct {
	At time.Time
	ID string
}

// Through returns all entries of such a list. read returns the next ones after a mark, none after the last; with the
// zero Mark it begins. What is added meanwhile stands before the first entry, and so is left out: none comes twice,
// and none is skipped. Unlike All, it does not pass over the entries before, so that reading them costs the last page
// no more than the first.
func Through[T any](read func(after Mark) ([]T, error), markOf func(T) Mark) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for after := (Mark{}); ; {
			list, err := read(after)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			if len(list) == 0 {
				return
			}
			for _, one := range list {
				if !yield(one, nil) {
					return
				}
			}
			after = markOf(list[len(list)-1])
		}
	}
}
