package lookup_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/operate/lookup"
	"stoa/internal/shop/license"
	"stoa/internal/trust/seal"
)

// shop has what a search finds. Package store has the tests of the SQL.
type shop struct {
	items map[lookup.Kind][]lookup.Item
	tails []lookup.Sealed
	finds func(q lookup.Query) bool // nil: every search finds all items
	err   error                     // of the search for products

	asked []lookup.Query // the searches for licenses
}

// everything is a reader from whom nothing is hidden.
var everything = lookup.Reader{Shows: func(lookup.Kind) bool { return true }, People: true, Former: true}

func (s *shop) find(kind lookup.Kind, q lookup.Query) ([]lookup.Item, error) {
	if s.finds != nil && !s.finds(q) {
		return nil, nil
	}
	return s.items[kind], nil
}

func (s *shop) Users(_ context.Context, q lookup.Query) ([]lookup.Item, error) {
	return s.find(lookup.User, q)
}

func (s *shop) Orders(_ context.Context, q lookup.Query) ([]lookup.Item, error) {
	return s.find(lookup.Order, q)
}

func (s *shop) Licenses(_ context.Context, q lookup.Query) ([]lookup.Item, error) {
	s.asked = append(s.asked, q)
	return s.find(lookup.License, q)
}

func (s *shop) LicensesByTail(_ context.Context, q lookup.Query) (found []lookup.Sealed, err error) {
	for _, l := range s.tails {
		if strings.HasPrefix(l.Title, q.KeyTail) {
			found = append(found, l)
		}
	}
	return found, nil
}

func (s *shop) Products(_ context.Context, q lookup.Query) ([]lookup.Item, error) {
	found, err := s.find(lookup.Product, q)
	return found, errors.Join(err, s.err)
}

func (s *shop) Plugins(_ context.Context, q lookup.Query) ([]lookup.Item, error) {
	return s.find(lookup.Plugin, q)
}

func (s *shop) Instances(_ context.Context, q lookup.Query) ([]lookup.Item, error) {
	return s.find(lookup.Instance, q)
}

func (s *shop) Webhooks(_ context.Context, q lookup.Query) ([]lookup.Item, error) {
	return s.find(lookup.Webhook, q)
}

func master(t *testing.T, digit string) *seal.Key {
	t.Helper()
	key, err := seal.ParseKey(strings.Repeat(digit, 64))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// now is the time of these tests.
var now = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// search returns what a text finds, as "kind id id, kind id".
func search(t *testing.T, s *shop, vault *license.Vault, text string) string {
	t.Helper()
	service := &lookup.Service{Store: s, Vault: vault, Now: func() time.Time { return now }}
	groups, err := service.Search(t.Context(), text, everything)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, g := range groups {
		line := string(g.Kind)
		for _, it := range g.Items {
			line += " " + it.ID
		}
		out = append(out, line)
	}
	return strings.Join(out, ", ")
}

func items(ids ...string) (list []lookup.Item) {
	for _, id := range ids {
		list = append(list, lookup.Item{ID: id})
	}
	return list
}

func TestTextsThatCanBeSearchedFor(t *testing.T) {
	t.Parallel()

	for text, fine := range map[string]bool{
		"": false, "a": false, " a ": false, "ab": true, "é": true, strings.Repeat("a", 320): true,
		strings.Repeat("a", 321): false, "  " + strings.Repeat("é", 320) + "  ": true, "a\x00b": false, "a\nb": false,
	} {
		issues := lookup.Issues(text)
		if (issues.Len() == 0) != fine {
			t.Errorf("%.20q: %v, want fine: %v", text, issues.List(), fine)
		}
		service := &lookup.Service{Store: &shop{}, Vault: license.NewVault(seal.NewKeys(master(t, "0"))), Now: time.Now}
		if _, err := service.Search(t.Context(), text, everything); (err == nil) != fine {
			t.Errorf("Search(%.20q) = %v", text, err)
		}
	}
}

func TestGroupsOfWhatIsFound(t *testing.T) {
	t.Parallel()

	many := strings.Fields("a b c d e f")
	s := &shop{items: map[lookup.Kind][]lookup.Item{
		lookup.Webhook: items("w"), lookup.User: items("u1", "u2"), lookup.Order: items("o"), lookup.Product: items(many...),
		lookup.License: items("l", "l"), lookup.Plugin: items("p"), lookup.Instance: items("i"),
	}}
	vault := license.NewVault(seal.NewKeys(master(t, "0")))
	want := "user u1 u2, order o, license l, product a b c d e, plugin p, instance i, webhook w"
	if got := search(t, s, vault, " Grace@Navy.example "); got != want {
		t.Errorf("found %s\nwant %s", got, want)
	}
	// What belongs to the users and the orders that were found is looked for, too.
	asked := lookup.Query{
		Text: "Grace@Navy.example", Key: "grace@navy.example", Users: []string{"u1", "u2"}, Orders: []string{"o"},
		At: now, Limit: lookup.PerKind,
	}
	if diff := cmp.Diff([]lookup.Query{asked}, s.asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

// Texts are searched in their middle only if nothing begins with what was written, and that is not short.
func TestTheMiddleOfTexts(t *testing.T) {
	t.Parallel()

	vault := license.NewVault(seal.NewKeys(master(t, "0")))
	for _, tt := range []struct {
		text       string
		middleOnly bool
		want       string
		rounds     int
	}{
		{"navy", true, "user u", 2},
		{"nav", true, "", 1},
		{"navy", false, "user u", 1},
	} {
		s := &shop{items: map[lookup.Kind][]lookup.Item{lookup.User: items("u")}}
		s.finds = func(q lookup.Query) bool { return q.Middle || !tt.middleOnly }
		if got := search(t, s, vault, tt.text); got != tt.want || len(s.asked) != tt.rounds {
			t.Errorf("%+v: found %q in %d rounds", tt, got, len(s.asked))
		}
	}
}

// A whole key finds its license and nothing else, under each master key that may have sealed it.
func TestAWholeKey(t *testing.T) {
	t.Parallel()

	before, after := master(t, "0"), master(t, "1")
	vault := license.NewVault(seal.NewKeys(after, before))
	key := license.NewKey()
	hash := license.NewVault(seal.NewKeys(before)).Hash(key)
	for _, written := range []string{
		key.Reveal(), strings.ToLower(key.Reveal()), " " + strings.ReplaceAll(key.Reveal(), "-", " "),
	} {
		s := &shop{items: map[lookup.Kind][]lookup.Item{lookup.License: items("l")}}
		s.finds = func(q lookup.Query) bool { return q.KeyHash == hash }
		if got := search(t, s, vault, written); got != "license l" {
			t.Errorf("%q finds %q", written, got)
		}
		last := s.asked[len(s.asked)-1]
		if last.KeyHash != hash || last.KeyTail != "" || last.Middle {
			t.Errorf("asked for %+v", last)
		}
	}
	s := &shop{finds: func(lookup.Query) bool { return false }}
	if got := search(t, s, vault, key.Reveal()); got != "" || slices.ContainsFunc(s.asked, func(q lookup.Query) bool { return q.Middle }) {
		t.Errorf("an unknown key finds %q, asked for %+v", got, s.asked)
	}
}

// The end of a key finds the license with that key, and not every one with the same last group.
func TestAPartOfAKey(t *testing.T) {
	t.Parallel()

	keys := seal.NewKeys(master(t, "0"))
	vault := license.NewVault(keys)
	mine, other := license.NewKey(), license.NewKey()
	sealed := func(id string, key license.Key) lookup.Sealed {
		return lookup.Sealed{Item: lookup.Item{ID: id, Title: mine.Tail()}, KeySealed: vault.Seal(key, id)}
	}
	damaged := sealed("damaged", mine)
	damaged.KeySealed = damaged.KeySealed[:len(damaged.KeySealed)-4]
	text := mine.Reveal()
	wrong := "0"
	if text[len(text)-7] == '0' {
		wrong = "1"
	}
	for _, tt := range []struct {
		name, text, want string
	}{
		{"the last half", text[len(text)-17:], "license mine"},
		{"the last group", mine.Tail(), "license mine"},
		{"in lower case", strings.ToLower(text[len(text)-11:]), "license mine"},
		{"with another group before it", text[len(text)-11:len(text)-7] + wrong + text[len(text)-6:], ""},
		{"the first half", text[:17], ""},
	} {
		s := &shop{tails: []lookup.Sealed{sealed("other", other), damaged, sealed("mine", mine)}}
		if got := search(t, s, vault, tt.text); got != tt.want {
			t.Errorf("%s, %s, finds %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
	s := &shop{tails: []lookup.Sealed{sealed("mine", mine)}, items: map[lookup.Kind][]lookup.Item{lookup.License: items("mine")}}
	if got := search(t, s, vault, mine.Tail()); got != "license mine" {
		t.Errorf("a license that is found twice is shown as %q", got)
	}
}

func TestASearchThatFails(t *testing.T) {
	t.Parallel()

	failed := fmt.Errorf("the database is away")
	service := &lookup.Service{
		Store: &shop{err: failed}, Vault: license.NewVault(seal.NewKeys(master(t, "0"))), Now: time.Now,
	}
	if _, err := service.Search(t.Context(), "navy", everything); !errors.Is(err, failed) {
		t.Errorf("error = %v", err)
	}
}
