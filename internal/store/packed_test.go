package store

import (
	"strings"
	"testing"
	"time"
)

func TestPackedRowIsReadFieldByField(t *testing.T) {
	t.Parallel()

	row := packed{rest: "l1 3 1 f 1893456000123 0 - [\"a b\"]"}
	text, number, one, no, at, first, never := row.text(), row.number(), row.boolean(), row.boolean(), row.time(), row.time(), row.time()
	if row.err != nil {
		t.Fatal(row.err)
	}
	want := time.Date(2030, time.January, 1, 0, 0, 0, 123_000_000, time.UTC)
	if text != "l1" || number != 3 || !one || no || !at.Equal(want) || !first.Equal(time.UnixMilli(0)) || !never.IsZero() || row.last() != `["a b"]` {
		t.Errorf("read %q %d %v %v %v %v %q", text, number, one, no, at, never, row.last())
	}
}

// A field with a space, or one that is NULL, moves all that follow: that must not
// pass for another licence.
func TestPackedRowThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		rest string
		read func(*packed)
		want string
	}{
		"a missing field": {"l1", func(p *packed) { p.text(); p.text() }, "missing"},
		"no number":       {"x ", func(p *packed) { p.number() }, "invalid syntax"},
		"no boolean":      {"2 ", func(p *packed) { p.boolean() }, "invalid syntax"},
		"no time":         {"1.5 ", func(p *packed) { p.time() }, "invalid syntax"},
		"the first one":   {"x y ", func(p *packed) { p.number(); p.boolean() }, `ParseInt: parsing "x"`},
	} {
		row := packed{rest: tt.rest}
		tt.read(&row)
		if row.err == nil || !strings.Contains(row.err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, row.err, tt.want)
		}
	}
}
