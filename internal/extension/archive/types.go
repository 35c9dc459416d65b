package archive

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/base/errs"
)

// maxTypes is how many file types one kind may have beyond its own.
const maxTypes = 64

var typeRE = regexp.MustCompile(`^(\.[a-z0-9]{1,16}|[a-z0-9][a-z0-9_-]{0,63})$`)

// executables are types that run on some machine by being opened, or once they are loaded. No
// setting allows them (contract 4.2).
var executables = []string{
	".exe", ".com", ".bat", ".cmd", ".ps1", ".msi", ".scr", ".vbs", ".wsf", ".lnk", ".reg", ".dll", ".sys",
	".hta", ".pif", ".cpl", ".msc", ".vbe", ".jse", ".wsh",
	".sh", ".bash", ".zsh", ".csh", ".ksh", ".fish", ".command", ".run", ".bin", ".elf", ".so", ".node", ".a", ".o", ".ko",
	".app", ".dylib", ".pkg", ".dmg", ".deb", ".rpm", ".apk", ".appimage", ".desktop", ".service",
	".jar", ".class", ".py", ".pyc", ".pl", ".rb", ".php", ".phar", ".phtml", ".cgi", ".lua", ".wasm",
}

// Why a file type cannot be allowed.
var (
	ErrNoType     = errors.New("write an extension such as .md, or a whole name such as LICENSE")
	ErrExecutable = errors.New("such files can be executed, and packages must not contain them")
)

// CheckType returns a file type as Profile.Types has it. The error is ErrNoType or ErrExecutable.
func CheckType(given string) (string, error) {
	t := strings.ToLower(strings.TrimSpace(given))
	switch {
	case !typeRE.MatchString(t):
		return "", ErrNoType
	case slices.Contains(executables, t):
		return "", ErrExecutable
	}
	return t, nil
}

// MergeTypes adds the types in more to those of a kind, once each, up to the largest number.
func MergeTypes(types []string, more ...string) []string {
	for _, t := range more {
		if !slices.Contains(types, t) && len(types) < maxTypes {
			types = append(types, t)
		}
	}
	return types
}

// TooManyTypes reports whether a kind may not have so many types beyond its own.
func TooManyTypes(n int) bool { return n > maxTypes }

// accepts reports whether files of that name may be in the archive.
func (p Profile) accepts(name string) bool {
	return p.Installed || slices.Contains(p.Types, extension(name)) ||
		slices.Contains(p.Types, strings.ToLower(path.Base(name)))
}

// refuseType returns the fault of a file whose type is not accepted. Its details have what would
// allow the type, if an administrator can.
func (p Profile) refuseType(name string) error {
	ext := extension(name)
	if slices.Contains(executables, ext) {
		return fault(name, errs.CodeUnknownValue, "Files of the type %s can be executed, and packages must not contain "+
			"them.%s", ext, nativeHint(ext))
	}
	kind := ""
	if p.Kind != "" {
		kind = " in the kind " + p.Kind
	}
	e := fault(name, errs.CodeUnknownValue, "Files of this type are not accepted%s, only %s.%s", kind,
		strings.Join(p.Types, " "), p.widen())
	t := ext
	if t == "" {
		t = strings.ToLower(path.Base(name))
	}
	if _, err := CheckType(t); err != nil || p.Kind == "" || p.Fixed {
		return e
	}
	return e.With(detailTypes, map[string][]string{p.Kind: {t}})
}

// detailTypes is the detail of INVALID_ARCHIVE that names what to add to the setting of that name.
const detailTypes = "archiveTypes"

func (p Profile) widen() string {
	switch {
	case p.Kind == "":
		return ""
	case p.Fixed:
		return fmt.Sprintf(" The operator allows more with STOA_ARCHIVE_TYPES (%s=…).", p.Kind)
	}
	return " An administrator allows more with the setting archiveTypes."
}

// nativeHint says why compiled modules of Node.js are no loss.
func nativeHint(ext string) string {
	if ext != ".node" {
		return ""
	}
	return " It is a native module: plugins run no compiled code, and stoa would not load it. Use a package that is " +
		"JavaScript alone, or run the plugin as a service (external-http)."
}

// Missing are the file types that would have to be allowed, by kind, so that archives which were
// refused are not. The zero value is empty.
type Missing map[string][]string

// Add adds what an error of Inspect says is missing, if anything.
func (m *Missing) Add(err error) {
	e, is := errors.AsType[*errs.Error](err)
	if !is {
		return
	}
	more, _ := e.Details[detailTypes].(map[string][]string)
	for kind, types := range more {
		if *m == nil {
			*m = make(Missing)
		}
		(*m)[kind] = MergeTypes((*m)[kind], types...)
		slices.Sort((*m)[kind])
	}
}

// In returns err, which may be nil, with what is missing in its details.
func (m Missing) In(err error) error {
	e, is := errors.AsType[*errs.Error](err)
	if !is || len(m) == 0 {
		return err
	}
	return e.With(detailTypes, map[string][]string(m))
}
