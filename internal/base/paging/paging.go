// Package paging computes which part of a list a page is. Every list takes its page from here, whether
// the database cuts it or memory does, because the numbers are a client's and may be as large as an int.
package paging

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
