// Package paging computes which part of a list a page is. Every list takes its page from here, whether
// the database cuts it or memory does, because the numbers are a client's and may be as large as an int.
package paging

import "iter"

// Farthest is the largest number of entries before a page. No list is so long: a page that is farther
// away is as empty as this one, and adding to the number cannot overflow.
const Farthest = 1 << 30

// Offset returns the number of entries before a page, at most Farthest. Pages count from 1; limit is
// how many entries each has.
func Offset(page, limit int) int {
	before, limit := max(page, 1)-1, max(limit, 1)
	if before > Farthest/limit {
		return Farthest
	}
	return before * limit
}

// Cut returns at most limit entries of list after the first offset. Numbers below zero count as zero.
func Cut[T any](list []T, limit, offset int) []T {
	list = list[min(max(offset, 0), len(list)):]
	return list[:min(max(limit, 0), len(list))]
}

// All returns all entries of a list that is read page by page: read returns those of a page, which begins after the
// first offset, and how many there are on all pages.
func All[T any](read func(offset int) ([]T, int, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for offset := 0; ; {
			list, total, err := read(offset)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range list {
				if !yield(one, nil) {
					return
				}
			}
			if offset += len(list); len(list) == 0 || offset >= total {
				return
			}
		}
	}
}
