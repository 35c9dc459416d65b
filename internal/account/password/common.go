package password

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed common.txt
var commonText string

// common is built at first use, because only one of the policies needs it.
var common = sync.OnceValue(func() map[string]struct{} {
	set := make(map[string]struct{})
	for line := range strings.Lines(commonText) {
		if word := strings.TrimRight(line, "\n"); word != "" && !strings.HasPrefix(word, "#!") {
			set[word] = struct{}{}
		}
	}
	return set
})

// IsCommon reports whether a password is one of those that guessing programs try
// first, in any case.
func IsCommon(password string) bool {
	_, is := common()[strings.ToLower(password)]
	return is
}
