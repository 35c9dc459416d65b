package settings

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/base/text"
)

// fromKubernetes matches the variables that Kubernetes sets in pods next to a Service of the name stoa.
var fromKubernetes = regexp.MustCompile(`^STOA_(?:SERVICE_(?:HOST|PORT(?:_.*)?)|` +
	`PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_.*)?)?)$`)

// WarnUnknown logs the variables of an environment that begin with STOA_ and set nothing: with a
// misspelled one, stoa runs with the default, and nothing else says so. Values are not logged.
func WarnUnknown(ctx context.Context, log *slog.Logger, environ []string) {
	var known []string
	for _, s := range Table() {
		if strings.HasPrefix(s.Env, "STOA_") {
			known = append(known, s.Env)
		}
		if s.File {
			known = append(known, s.FileEnv())
		}
	}
	for _, entry := range slices.Sorted(slices.Values(environ)) {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "STOA_") || slices.Contains(known, name) || fromKubernetes.MatchString(name) ||
			strings.HasPrefix(name, "STOA_TEST_") {
			continue
		}
		attrs := []slog.Attr{slog.String("variable", name)}
		if near, changes := text.Nearest(name, known); changes <= maxTypos {
			attrs = append(attrs, slog.String("nearest", near))
		}
		log.LogAttrs(ctx, slog.LevelWarn, "an environment variable sets nothing: stoa has no setting of that name", attrs...)
	}
}

// maxTypos is how many letters a misspelled name may differ by.
const maxTypos = 4
