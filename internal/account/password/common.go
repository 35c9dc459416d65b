package password

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed common.txt
var commonText string

// common is made at first use: only one of the policies asks.
var common = sync.OnceValue(func() map[string]struct{} {
	set := make(map[string]struct{})
	for line := range strings.Lines(commonText) {
		if word := strings.TrimRight(line, "\n"); word != "" && !strings.HasPrefix(word, "#!") {
			set[word] = struct{}{}
		}
	}
	return set
})

// IsCommon reports whether a password is, apart from case, one of those that
// guessing starts with.
func IsCommon(password string) bool {
	_, is := common()[strings.ToLower(password)]
	return is
}
