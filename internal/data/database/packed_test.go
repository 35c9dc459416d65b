package database

import (
	"strings"
	"testing"
	"time"
)

func TestPackedRowIsReadFieldByField(t *testing.T) {
	t.Parallel()

	row := Unpack("l1 3 1 f 1893456000123 0 - [\"a b\"]")
	text, number, one, no := row.Text(), row.Number(), row.Bool(), row.Bool()
	at, first, never := row.Time(), row.Time(), row.Time()
	if row.Err() != nil {
		t.Fatal(row.Err())
	}
	want := time.Date(2030, time.January, 1, 0, 0, 0, 123_000_000, time.UTC)
	if text != "l1" || number != 3 || !one || no || row.Last() != `["a b"]` ||
		!at.Equal(want) || !first.Equal(time.UnixMilli(0)) || !never.IsZero() {
		t.Errorf("read %q %d %v %v %v %v %q", text, number, one, no, at, never, row.Last())
	}
}

// A space in a field, or a NULL, shifts all fields after it. The result must be an
// error, not a wrong row.
func TestMalformedPackedRowIsAnError(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		rest string
		read func(*Packed)
		want string
	}{
		"a missing field": {"l1", func(p *Packed) { p.Text(); p.Text() }, "missing"},
		"no number":       {"x ", func(p *Packed) { p.Number() }, "invalid syntax"},
		"no boolean":      {"2 ", func(p *Packed) { p.Bool() }, "invalid syntax"},
		"no time":         {"1.5 ", func(p *Packed) { p.Time() }, "invalid syntax"},
		"the first one":   {"x y ", func(p *Packed) { p.Number(); p.Bool() }, `ParseInt: parsing "x"`},
	} {
		row := Unpack(tt.rest)
		tt.read(&row)
		if row.Err() == nil || !strings.Contains(row.Err().Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, row.Err(), tt.want)
		}
	}
}
