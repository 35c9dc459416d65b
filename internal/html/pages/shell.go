package pages

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"stoa/internal/html/locale"
	"stoa/internal/html/webapp"
)

//go:embed shell.html
var shell string

// shellPolicy allows the built files, requests to stoa itself, pictures of products, which
// may be elsewhere, and frames with plugins' pages, which are sandboxed.
var shellPolicy = strings.Join([]string{
	"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
	"img-src 'self' https: data: blob:",
	"frame-src 'self'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
}, "; ")

// Console returns the page in which the console runs. Every address below /console has it.
// It returns webapp.ErrNotBuilt if stoa was built without the console.
func (s Site) Console() (Page, error) {
	entry, ok := s.Web.Entry(webapp.Console, s.Language)
	if !ok {
		return Page{}, webapp.ErrNotBuilt
	}
	words, err := texts(s.Language)
	if err != nil {
		return Page{}, err
	}
	t, err := template.New("shell").Funcs(words.funcs()).Parse(shell)
	if err != nil {
		return Page{}, fmt.Errorf("pages: %w", err)
	}
	title, err := words.Text(section + "console")
	if err != nil {
		return Page{}, fmt.Errorf("pages: %w", err)
	}
	if s.Name != "" {
		title += " · " + s.Name
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Lang": words.Language(), "Languages": s.Languages, "Dir": locale.Direction(words.Language()),
		"Title": title, "Entry": entry, "Test": s.Test,
	})
	if err != nil {
		return Page{}, fmt.Errorf("pages: %w", err)
	}
	return Page{HTML: out.Bytes(), Policy: shellPolicy}, nil
}
