package pages

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
)

var (
	//go:embed frame.html
	frame string
	//go:embed frame.js
	frameScript string
)

// framePolicy gives what runs in the frame an origin of its own and no way to anything:
// not to stoa, nor to another site. Its scripts and style sheets are the plugin's.
var framePolicy = strings.Join([]string{
	"sandbox allow-scripts allow-forms allow-modals allow-downloads",
	"default-src 'none'", "script-src 'unsafe-inline'", "style-src 'unsafe-inline'",
	"img-src data: blob:", "media-src data: blob:", "font-src data:",
	"form-action 'none'", "base-uri 'none'", "frame-ancestors 'self'",
}, "; ")

// PluginFrame returns the page in which the console shows a plugin's own page for
// administrators (docs/adr/0014-pages-of-plugins-in-the-console.md).
func (s Site) PluginFrame() (Page, error) {
	t, err := template.New("frame").Parse(frame)
	if err != nil {
		return Page{}, fmt.Errorf("pages: %w", err)
	}
	var out bytes.Buffer
	err = t.Execute(&out, template.JS(frameScript)) //nolint:gosec // an embedded file
	if err != nil {
		return Page{}, fmt.Errorf("pages: %w", err)
	}
	return Page{HTML: out.Bytes(), Policy: framePolicy}, nil
}
