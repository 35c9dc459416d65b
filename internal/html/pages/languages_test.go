package pages

import (
	"bytes"
	"testing"
)

// Also a page that runs no script leads to the other languages.
func TestPagesLeadToTheOtherLanguages(t *testing.T) {
	t.Parallel()

	s := Site{Language: "de", Languages: "en de ja"}
	for name, make := range map[string]func() (Page, error){"reset": s.Reset, "missing": s.Missing} {
		page, err := make()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`<a href="?lang=en" lang="en" hreflang="en">English</a>`, `<a href="?lang=ja" lang="ja" hreflang="ja">日本語</a>`,
			`<span lang="de" aria-current="true">Deutsch</span>`,
		} {
			if !bytes.Contains(page.HTML, []byte(want)) {
				t.Errorf("%s has no %s:\n%s", name, want, page.HTML)
			}
		}
	}
}

func TestAPageOfOneLanguageOffersNone(t *testing.T) {
	t.Parallel()

	page, err := Site{}.Reset()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(page.HTML, []byte(`class="languages"`)) {
		t.Errorf("there is a choice of languages:\n%s", page.HTML)
	}
}
