package manifest

import (
	"cmp"
	"strings"
)

// CompareVersions compares two MAJOR.MINOR.PATCH versions by number: negative if
// a is lower than b. The numbers may be larger than any integer type holds.
func CompareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, y := strings.TrimLeft(as[i], "0"), strings.TrimLeft(bs[i], "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
			return c
		}
	}
	return 0
}
