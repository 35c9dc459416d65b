package text

import (
	"slices"
	"strings"
)

// Nearest returns the name that the fewest changes of letters make of another, in any case, and how
// many. Of several, it is the first in alphabetical order; known must not be empty.
func Nearest(name string, known []string) (nearest string, changes int) {
	lower := strings.ToLower(name)
	nearest = slices.MinFunc(slices.Sorted(slices.Values(known)), func(a, b string) int {
		return edits(lower, strings.ToLower(a)) - edits(lower, strings.ToLower(b))
	})
	return nearest, edits(lower, strings.ToLower(nearest))
}

// edits returns how many letters of a are inserted, removed or replaced to make b (Levenshtein).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
