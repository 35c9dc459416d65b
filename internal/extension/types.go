package extension

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Types are file types that archives of a kind may hold beyond the allowed ones: in
// lower case, extensions with the dot or whole names (contract 4.2).
type Types map[Kind][]string

var typeRE = regexp.MustCompile(`^(\.[a-z0-9]{1,16}|[a-z0-9][a-z0-9_-]{0,63})$`)

// executables are types that run on some machine by being opened. No setting allows
// them (contract 4.2).
var executables = []string{
	".exe", ".com", ".bat", ".cmd", ".ps1", ".msi", ".scr", ".vbs", ".wsf", ".lnk", ".reg", ".dll", ".sys",
	".sh", ".bash", ".zsh", ".csh", ".command", ".run", ".bin", ".elf", ".so", ".node", ".a", ".o", ".ko",
	".app", ".dylib", ".pkg", ".dmg", ".deb", ".rpm", ".apk", ".appimage", ".desktop", ".service",
	".jar", ".class", ".py", ".pyc", ".pl", ".rb", ".php", ".lua", ".wasm",
}

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
			t = strings.ToLower(strings.TrimSpace(t))
			switch {
			case !typeRE.MatchString(t):
				return nil, fmt.Errorf("%q is no file type: write an extension such as .md, or a whole name such as LICENSE", t)
			case slices.Contains(executables, t):
				return nil, fmt.Errorf("%s files can be executed, and packages must not contain them", t)
			}
			types[kind] = append(types[kind], t)
		}
	}
	return types, nil
}
