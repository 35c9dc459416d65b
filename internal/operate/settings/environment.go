package settings

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// fromFile is a kong.ResolverFunc: it reads a value from the file that the environment names.
func fromFile(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	var row Setting
	if len(flag.Envs) == 1 {
		row, _ = ByVariable(flag.Envs[0])
	}
	path := os.Getenv(row.FileEnv())
	if !row.File || path == "" {
		return nil, nil //nolint:nilnil // kong: nothing to say about this flag
	}
	if row.Value() != "" {
		return nil, fmt.Errorf("set %s or %s, not both", row.Env, row.FileEnv())
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator's own choice
	if err != nil {
		return nil, fmt.Errorf("%s: %w", row.FileEnv(), err)
	}
	value := strings.TrimSpace(string(text))
	if value == "" {
		return nil, errors.New(row.FileEnv() + ": the file is empty")
	}
	return value, nil
}

// refusePasswords returns an error if an argument is a URL with a password: every user of the machine
// can read a command line, and so can clients of /debug/pprof/cmdline. The error does not repeat it.
func refusePasswords(args []string) error {
	for i, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || !strings.HasPrefix(name, "-") {
			name, value = "", arg
			if i > 0 && strings.HasPrefix(args[i-1], "-") {
				name = args[i-1]
			}
		}
		if !hasPassword(value) {
			continue
		}
		if name == "" {
			name = "an argument"
		}
		var variables, files []string
		for _, s := range Table() {
			if s.File {
				variables, files = append(variables, s.Env), append(files, s.FileEnv())
			}
		}
		return fmt.Errorf("%s contains a password, and every user of this machine can read a command line; "+
			"set the environment variable instead (%s, or a file named in %s)",
			name, strings.Join(variables, ", "), strings.Join(files, " or "))
	}
	return nil
}

// hasPassword reports whether a text is a URL with a password in it, also as libpq's parameter. A text
// that has the shape of such a URL and is none counts, too.
func hasPassword(text string) bool {
	_, rest, ok := strings.Cut(text, "://")
	if !ok {
		return false
	}
	u, err := url.Parse(text)
	if err != nil {
		user, _, at := strings.Cut(rest, "@")
		return at && strings.Contains(user, ":")
	}
	password, _ := u.User.Password()
	query := u.Query()
	return password != "" || query.Get("password") != "" || query.Get("sslpassword") != ""
}
