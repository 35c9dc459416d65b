package extension

import (
	"fmt"
	"strings"

	"stoa/internal/extension/archive"
)

// Types are file types that archives of a kind may hold beyond the allowed ones: in
// lower case, extensions with the dot or whole names (contract 4.2).
type Types map[Kind][]string

// ParseTypes reads a setting such as "theme-shop=.svg,.png;plugin=.md,LICENSE".
func ParseTypes(text string) (Types, error) {
	types := make(Types)
	for _, part := range strings.Split(text, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, list, _ := strings.Cut(part, "=")
		kind := Kind(strings.TrimSpace(name))
		if !kind.Known() {
			return nil, fmt.Errorf("%q is no kind of extension: write kind=types, such as plugin=.md,LICENSE", name)
		}
		for _, t := range strings.Split(list, ",") {
			checked, err := archive.CheckType(t)
			if err != nil {
				return nil, fmt.Errorf("%q cannot be allowed: %w", strings.TrimSpace(t), err)
			}
			types[kind] = archive.MergeTypes(types[kind], checked)
		}
	}
	return types, nil
}
