package apikey

import (
	"hash/crc32"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/permission"
)

func TestAKeyIsReadAsItWasMade(t *testing.T) {
	t.Parallel()

	whole := regexp.MustCompile("^" + Pattern + "$")
	seen := map[string]bool{}
	for range 200 {
		for _, kind := range []Kind{Personal, Service} {
			id := NewID()
			key := newSecret(kind, id)
			if got, gotID, ok := Parse(key); got != kind || gotID != id || !ok || !whole.MatchString(key) || seen[key] {
				t.Fatalf("%s: %c %s %v", key, got, gotID, ok)
			}
			seen[key] = true
		}
	}
}

// The vectors are for those who write scanners.
func TestTheSumIsTheDocumentedOne(t *testing.T) {
	t.Parallel()

	body := "stoa_pk_000000000000_" + strings.Repeat("0", 43)
	if got, want := sum(body), "0WL2W3"; crc32.ChecksumIEEE([]byte(body)) != 477857315 || got != want {
		t.Errorf("%s of %d", got, crc32.ChecksumIEEE([]byte(body)))
	}
	if got := sum(""); got != "000000" {
		t.Errorf("of nothing: %s", got)
	}
}

// One wrong character, and two exchanged ones, are found without asking anybody.
func TestAMistypedKeyIsNone(t *testing.T) {
	t.Parallel()

	key := newSecret(Personal, NewID())
	for i := range key {
		wrong := []byte(key)
		if wrong[i] = 'a'; key[i] == 'a' {
			wrong[i] = 'b'
		}
		if _, _, ok := Parse(string(wrong)); ok {
			t.Errorf("character %d does not matter", i)
		}
		if i > 0 && key[i] != key[i-1] {
			swapped := []byte(key)
			swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
			if _, _, ok := Parse(string(swapped)); ok {
				t.Errorf("characters %d and %d may be exchanged", i-1, i)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("stoa_pk_000000000000_" + strings.Repeat("0", 49))
	f.Add(newSecret(Service, NewID()))
	f.Add("stoa_sk_")
	f.Fuzz(func(t *testing.T, s string) {
		kind, id, ok := Parse(s)
		if !ok {
			return
		}
		if !Marked(s) || !IsID(id) || len(s) != keyBytes || kind != Personal && kind != Service || sum(s[:keyBytes-sumBytes]) != s[keyBytes-sumBytes:] {
			t.Errorf("%q is a key", s)
		}
	})
}

func TestScopesThatNoKeyMayHaveAreRefused(t *testing.T) {
	t.Parallel()

	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		kind   Kind
		scopes []permission.Name
		end    string
		want   string // the paths of the issues
	}{
		{"a permission", Personal, []permission.Name{"orders:read"}, "", ""},
		{"oneself", Personal, []permission.Name{SelfRead, SelfWrite}, "", ""},
		{"a single plugin", Service, []permission.Name{"extensions:use:mail"}, "", ""},
		{"oneself, of a service", Service, []permission.Name{SelfRead}, "", "scopes"},
		{"nothing", Personal, nil, "", "scopes"},
		{"no permission", Personal, []permission.Name{"orders"}, "", "scopes"},
		{"any", Personal, []permission.Name{permission.Any}, "", "scopes"},
		{"keys", Service, []permission.Name{permission.AdminKeys}, "", "scopes"},
		{"the last moment", Personal, []permission.Name{SelfRead}, `"2031-01-02T00:00:00Z"`, ""},
		{"one later", Personal, []permission.Name{SelfRead}, `"2031-01-02T00:00:00.001Z"`, "expiresAt"},
		{"now", Personal, []permission.Name{SelfRead}, `"2030-01-01T00:00:00Z"`, "expiresAt"},
		{"never", Personal, []permission.Name{SelfRead}, `null`, "expiresAt"},
		{"never, of a service", Service, []permission.Name{"orders:read"}, `null`, ""},
		{"no time", Service, []permission.Name{"orders:read"}, `7`, "expiresAt"},
	} {
		in := Form{Name: "x", Scopes: tt.scopes, ExpiresAt: []byte(tt.end)}
		var paths []string
		for _, issue := range in.Issues(tt.kind, now).List() {
			paths = append(paths, issue.Path)
		}
		if got := strings.Join(paths, " "); got != tt.want {
			t.Errorf("%s: issues of %q, want %q", tt.name, got, tt.want)
		}
	}
}
