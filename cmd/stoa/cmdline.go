package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// fileSettings are the variables whose value may be in a file instead, named by
// the variable with _FILE at its end: their URLs contain passwords.
var fileSettings = []string{"STOA_DATABASE_URL", "STOA_REDIS_URL"}

// refusePasswords returns an error if an argument is a URL with a password: every
// user of the machine can read a command line, and so can whoever reads
// /debug/pprof/cmdline. The error does not repeat it.
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
		return fmt.Errorf("%s contains a password, and every user of this machine can read a command line; "+
			"set the environment variable instead (STOA_DATABASE_URL, STOA_REDIS_URL, or a file named in "+
			"STOA_DATABASE_URL_FILE or STOA_REDIS_URL_FILE)", name)
	}
	return nil
}

// hasPassword reports whether a text is a URL with a password in it, also as
// libpq's parameter. What cannot be read as a URL counts as one if it has the
// shape of it.
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

// settingsFromFiles reads fileSettings from the files that the environment names.
func settingsFromFiles() kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range fileSettings {
			path := os.Getenv(name + "_FILE")
			if path == "" || len(flag.Envs) != 1 || flag.Envs[0] != name {
				continue
			}
			if os.Getenv(name) != "" {
				return nil, fmt.Errorf("set %s or %s_FILE, not both", name, name)
			}
			text, err := os.ReadFile(path) //nolint:gosec // the operator's own choice
			if err != nil {
				return nil, fmt.Errorf("%s_FILE: %w", name, err)
			}
			value := strings.TrimSpace(string(text))
			if value == "" {
				return nil, errors.New(name + "_FILE: the file is empty")
			}
			return value, nil
		}
		return nil, nil //nolint:nilnil // kong: nothing to say about this flag
	})
}
