package reqctx

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
)

// Lines about a request as a whole are written with the context that the caller's is made of.
func TestLinesOfARequestNameWhoActsAsAUser(t *testing.T) {
	t.Parallel()

	var out bytes.Buffer
	log := slog.New(LogHandler(slog.NewTextHandler(&out, nil)))
	outer := context.WithValue(t.Context(), BehalfSlotKey(), &Behalf{})
	log.InfoContext(outer, "before")
	if strings.Contains(out.String(), "impersonator") {
		t.Errorf("nobody acts: %s", out.String())
	}
	SetBehalf(WithCaller(outer, Caller{}), Behalf{"ada", "sam"})
	out.Reset()
	log.InfoContext(outer, "request")
	if !strings.Contains(out.String(), "user=ada impersonator=sam") {
		t.Errorf("ada, as whom sam acts: %s", out.String())
	}
	if b := BehalfFrom(outer); b.Any() { // only lines of the log have it
		t.Errorf("the request acts on behalf of %+v", b)
	}
	SetBehalf(t.Context(), Behalf{"ada", "sam"}) // without a place for it
}
