package deploy

import (
	"os"
	"testing"
)

// heavy skips a test that takes minutes or tools that nothing else needs, unless make
// check-deploy runs it.
func heavy(tb testing.TB) {
	tb.Helper()
	if os.Getenv("STOA_CHECK_DEPLOY") == "" {
		tb.Skip("only make check-deploy runs this")
	}
}
