package extension_test

import (
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

const extensions = "/api/v1/admin/extensions"

// dataDir returns an option that remembers the data folder.
func dataDir(dir *string) testkit.Option {
	return func(_ testing.TB, cfg *app.Config) { *dir = cfg.DataDir }
}
