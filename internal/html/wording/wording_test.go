package wording_test

import (
	"errors"
	"testing"
	"testing/fstest"

	"stoa/internal/html/wording"
)

const texts = `{"shop": {"hello": "Hello {name}, {other}",
	"found": {"one": "{n} product", "other": "{n} products"}, "deep": {"er": "down"}}, "console": {"secret": "x"}}`

func load(t *testing.T) *wording.Words {
	t.Helper()
	words, err := wording.Load(fstest.MapFS{"en.json": {Data: []byte(texts)}}, "en", "shop")
	if err != nil {
		t.Fatal(err)
	}
	return words
}

func TestTextsAreFoundAndFilled(t *testing.T) {
	t.Parallel()

	words := load(t)
	if got, err := words.Text("shop.hello", "name", "Ada"); err != nil || got != "Hello Ada, {other}" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := words.Text("shop.deep.er"); err != nil || got != "down" {
		t.Errorf("got %q, %v", got, err)
	}
	for n, want := range map[int]string{0: "0 products", 1: "1 product", 2: "2 products", 1234567: "1,234,567 products"} {
		if got, err := words.Count("shop.found", n); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	// A value is text, whatever it looks like.
	if got, _ := words.Text("shop.hello", "name", "{other}", "other", "{name}"); got != "Hello {other}, {name}" {
		t.Errorf("got %q", got)
	}
}

func TestAMissingTextIsAnError(t *testing.T) {
	t.Parallel()

	words := load(t)
	for _, key := range []string{"shop.nothing", "shop.deep", "console.secret"} {
		if _, err := words.Text(key); !errors.Is(err, wording.ErrNoText) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := words.Count("shop.hello", 1); !errors.Is(err, wording.ErrNoText) {
		t.Errorf("a text without numbers: %v", err)
	}
	for name, body := range map[string]string{"en": "{", "de": `{"other": {}}`, "not a language": texts} {
		if _, err := wording.Load(fstest.MapFS{name + ".json": {Data: []byte(body)}}, name, "shop"); err == nil {
			t.Errorf("%s with %s was loaded", name, body)
		}
	}
	if got := words.Number(-1234); got != "-1,234" {
		t.Errorf("got %s", got)
	}
}
