package plugin

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

// The header has at most 1 KiB, without features that do not fit.
func TestTheLicenseHeaderIsShort(t *testing.T) { // not parallel: it counts allocations
	now := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	l := License{
		State: "valid", Tier: strings.Repeat("t", 64), Trial: true, TermEnds: now.Add(time.Hour), GraceFrom: now,
		StopsAt: now.Add(time.Hour),
	}
	for n, fits := range map[int]bool{1: true, 30: true, 60: false} {
		l.Features = make([]string, n)
		for i := range l.Features {
			l.Features[i] = "feature of it"
		}
		p := l.prepared()
		for what, value := range map[string]string{
			"before": p.HeaderAt(now.Add(-1)), "grace": p.HeaderAt(now), "lapsed": p.HeaderAt(l.StopsAt),
		} {
			text, err := base64.RawURLEncoding.DecodeString(value)
			if err != nil || len(value) > 1<<10 || strings.Contains(string(text), `"features":[`) != fits ||
				!strings.Contains(string(text), `"expiresAt":"2030-03-01T13:00:00.000Z"`) {
				t.Errorf("%d features, %s: %d bytes, %v: %s", n, what, len(value), err, text)
			}
		}
	}
	for _, tier := range []string{strings.Repeat("t", 200), strings.Repeat("\u4e00", 300), strings.Repeat("\x01", 200)} {
		l.Tier = tier
		if p := l.prepared(); len(p.Header) > 1<<10 || len(p.LapsedHeader) > 1<<10 || p.Header == "" {
			t.Errorf("%q: %d bytes", tier[:3], len(p.Header))
		}
	}
	none := License{}.prepared()
	if none.HeaderAt(now) != "" || none.LapsedAt(now) || none.StateAt(now) != "" {
		t.Error("a package without a license has one")
	}
	p := l.prepared()
	if n := testing.AllocsPerRun(100, func() { _, _ = p.HeaderAt(now), p.LapsedAt(now) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// Hooks say that a license is their reason, and nothing where it is not.
func TestHooksSayThatALicenseIsTheirReason(t *testing.T) {
	t.Parallel()

	for reason, want := range map[string]string{"": `"config":{}}`, reasonLicense: `"config":{},"reason":"license"}`} {
		if body, err := hookBody(Instance{}, hookPayload{Reason: reason}); err != nil || !strings.HasSuffix(string(body), want) {
			t.Errorf("%s, %v, want %s", body, err, want)
		}
	}
}
