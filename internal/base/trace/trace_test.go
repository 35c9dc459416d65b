package trace_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"stoa/internal/base/trace"
)

const (
	id     = "0af7651916cd43dd8448eb211c80319c"
	parent = "b7ad6b7169203331"
	given  = "00-" + id + "-" + parent + "-01"
)

var valid = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// set returns the headers of the next hop.
func set(c trace.Context) http.Header {
	h := http.Header{"Traceparent": {c.Traceparent()}}
	if state := c.Tracestate(); state != "" {
		h.Set("Tracestate", state)
	}
	return h
}

func TestATraceIsContinuedWithANewParent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, sent, flags string }{
		{"recorded", given, "01"},
		{"not recorded", "00-" + id + "-" + parent + "-00", "00"},
		{"unknown flags", "00-" + id + "-" + parent + "-ff", "ff"},
		{"a later version", "01-" + id + "-" + parent + "-01", "01"},
		{"a later version with more fields", "cc-" + id + "-" + parent + "-01-what-comes", "01"},
	} {
		got := set(trace.Of(http.Header{"Traceparent": {tt.sent}})).Get("Traceparent")
		if !valid.MatchString(got) || got[3:35] != id || got[36:52] == parent || got[53:] != tt.flags {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

func TestWithoutAValidTraceANewOneBegins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		sent []string
	}{
		{"absent", nil},
		{"empty", []string{""}},
		{"two", []string{given, given}},
		{"upper case", []string{strings.ToUpper(given)}},
		{"version ff", []string{"ff" + given[2:]}},
		{"version of letters", []string{"zz" + given[2:]}},
		{"no trace", []string{"00-" + strings.Repeat("0", 32) + "-" + parent + "-01"}},
		{"no parent", []string{"00-" + id + "-" + strings.Repeat("0", 16) + "-01"}},
		{"one byte short", []string{given[:len(given)-1]}},
		{"one byte long", []string{given + "0"}},
		{"more fields in version 00", []string{given + "-00"}},
		{"a later version that goes on", []string{"01" + given[2:] + "0"}},
		{"another separator", []string{strings.ReplaceAll(given, "-", "_")}},
		{"not hex", []string{"00-" + strings.Repeat("g", 32) + "-" + parent + "-01"}},
		{"a line feed", []string{given[:len(given)-1] + "\n"}},
		{"a space before", []string{" " + given}},
	} {
		c := trace.Of(http.Header{"Traceparent": tt.sent, "Tracestate": {"a=1"}})
		h := set(c)
		got := h.Get("Traceparent")
		if !valid.MatchString(got) || got[3:35] == id || got[53:] != "01" || c.TraceID() != got[3:35] ||
			c.SpanID() != got[36:52] {
			t.Errorf("%s: %s", tt.name, got)
		}
		if _, is := h["Tracestate"]; is {
			t.Errorf("%s: the state of another trace is passed on", tt.name)
		}
	}
}

func TestOnlyValidStateIsPassedOn(t *testing.T) {
	t.Parallel()
	many := strings.TrimSuffix(strings.Repeat("a=1,", 33), ",")
	for _, tt := range []struct {
		name string
		sent []string
		want string
	}{
		{"one", []string{"congo=t61rcWkgMzE"}, "congo=t61rcWkgMzE"},
		{"several", []string{"rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"}, "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"},
		{"two lines", []string{"rojo=1", "congo=2"}, "rojo=1,congo=2"},
		{"a tenant", []string{"1a-2f@dd=x y!"}, "1a-2f@dd=x y!"},
		{"empty members", []string{"a=1,,b=2, "}, "a=1,,b=2, "},
		{"nothing", []string{" , "}, ""},
		{"no value", []string{"a="}, ""},
		{"no key", []string{"=1"}, ""},
		{"no equals sign", []string{"a"}, ""},
		{"two equals signs", []string{"a=b=c"}, ""},
		{"upper case", []string{"A=1"}, ""},
		{"twice", []string{"a=1,a=2"}, ""},
		{"too many", []string{many}, ""},
		{"a control character", []string{"a=\x01"}, ""},
		{"too long", []string{"a=" + strings.Repeat("x", 250) + ",b=" + strings.Repeat("x", 250) + ",c=123456"}, ""},
		{"a long value", []string{"a=" + strings.Repeat("x", 257)}, ""},
	} {
		got := set(trace.Of(http.Header{"Traceparent": {given}, "Tracestate": tt.sent})).Get("Tracestate")
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestNewTracesDiffer(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 1000 {
		c := trace.New()
		seen[c.TraceID()], seen[c.SpanID()] = true, true
	}
	if len(seen) != 2000 {
		t.Errorf("%d ids, want 2000", len(seen))
	}
}

func FuzzOf(f *testing.F) {
	f.Add(given, "a=1")
	f.Add("01-"+id+"-"+parent+"-01-x", "b@c=2,,")
	f.Fuzz(func(t *testing.T, sent, state string) {
		h := set(trace.Of(http.Header{"Traceparent": {sent}, "Tracestate": {state}}))
		if got := h.Get("Traceparent"); !valid.MatchString(got) {
			t.Errorf("%q became %q", sent, got)
		}
		if got := h.Get("Tracestate"); len(got) > 512 || strings.ContainsAny(got, "\r\n\x00") {
			t.Errorf("%q became %q", state, got)
		}
	})
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		trace.New()
	}
}
