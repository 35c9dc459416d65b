package settings

import (
	"os"
	"slices"
	"strings"
)

// Setting is a row of the table: everything that an operator is told of one setting.
type Setting struct {
	// Command is the only command that has the flag. Without it, the row is that of every command
	// that has a flag of the name and no row of its own.
	Command string

	Flag        string // without dashes; empty for what has only a variable
	Env         string
	Default     string
	Required    bool
	Values      string // the values that it may have, separated by commas; empty for any
	Bounds      Bounds // of a number, a duration, or the length of a text
	With        string // the flags, separated by commas, without which its bounds do not matter
	Placeholder string
	Mark        Mark

	// File says that Env with _FILE at its end may name a file with the value.
	File bool

	// Help is a sentence or more for --help and docs/config.md. {bounds} in it stands for Bounds.
	Help string
}

// Mark says what a setting without a flag is.
type Mark string

// Marks of settings.
const (
	// Secret is read from the environment only: every user of the machine can read a command line.
	Secret Mark = "secret"
	// Foreign is a variable of Go, systemd or a library, which stoa honors and does not name.
	Foreign Mark = "foreign"
)

// Table returns all settings: those of stoa serve and of several commands first, then those of one
// command, then those without a flag.
func Table() []Setting {
	return slices.Concat(storageRows, observabilityRows, serveRows, shopRows, limitRows, pluginRows, marketRows,
		backupRows, commandRows, secretRows, foreignRows)
}

// Marked returns the settings with a mark.
func Marked(m Mark) []Setting {
	return slices.DeleteFunc(Table(), func(s Setting) bool { return s.Mark != m })
}

// ByVariable returns a setting that an environment variable makes, also one that ends in _FILE.
func ByVariable(name string) (Setting, bool) {
	for _, s := range Table() {
		if s.Env == name || s.File && s.FileEnv() == name {
			return s, true
		}
	}
	return Setting{}, false
}

// FileEnv is the variable that names a file with the value.
func (s Setting) FileEnv() string { return s.Env + "_FILE" }

// Value returns the value of a setting that has only a variable.
func (s Setting) Value() string { return os.Getenv(s.Env) }

// Sentence returns Help with the bounds in it.
func (s Setting) Sentence() string { return strings.ReplaceAll(s.Help, "{bounds}", s.Bounds.String()) }

// allows reports whether a text is one of Values. Where there is no default, it may be empty.
func (s Setting) allows(text string) bool {
	return s.Values == "" || slices.Contains(strings.Split(s.Values, ","), text) || text == "" && s.Default == ""
}

// find returns the row of a command's flag.
func find(rows []Setting, command, flag string) (Setting, bool) {
	for _, of := range []string{command, ""} {
		i := slices.IndexFunc(rows, func(s Setting) bool { return s.Flag == flag && s.Command == of })
		if i >= 0 {
			return rows[i], true
		}
	}
	return Setting{}, false
}

// key is unique in the table, but for settings without a flag.
func (s Setting) key() string { return s.Command + " --" + s.Flag }
