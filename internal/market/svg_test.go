package market

import (
	"strings"
	"testing"
)

func TestAnSVGCanOnlyShowItself(t *testing.T) {
	t.Parallel()

	in := func(content string) string {
		return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">` + content + `</svg>`
	}
	for name, tt := range map[string]struct {
		svg  string
		want string // part of the reason, or "" if it is taken
	}{
		"anything that begins so": {in(`<text once="x"/>`), "event handlers (once)"},
		"shapes, style and text":  {in(`<path d="M0 0h1"/><style>.a{fill:red}</style><text class="a">javascript is a word</text>`), ""},
		"links within itself":     {in(`<defs><g id="a"/></defs><use href="#a"/><use xlink:href="#a"/>`), ""},
		"a declared encoding":     {`<?xml version="1.0" encoding="UTF-8"?><!-- made by hand -->` + in(""), ""},
		"an embedded bitmap":      {in(`<image href="data:image/png;base64,AAAA"/><image xlink:href="data:image/jpeg,AA"/>`), ""},
		"what editors leave":      {in(`<metadata><x xmlns="urn:x" x:onset="1" xmlns:x="urn:x"/></metadata>`), ""},
		"a script":                {in(`<script>alert(1)</script>`), "element script"},
		"a script in other case":  {in(`<SCRIPT/>`), "element SCRIPT"},
		"a script with a prefix":  {in(`<s:script xmlns:s="http://www.w3.org/2000/svg"/>`), "element script"},
		"a page inside":           {in(`<foreignObject><b/></foreignObject>`), "element foreignObject"},
		"a frame":                 {in(`<iframe src="https://example.com"/>`), "element iframe"},
		"a handler":               {strings.Replace(in(""), "<svg ", `<svg onload="alert(1)" `, 1), "event handlers (onload)"},
		"a handler in other case": {in(`<a OnClick="x"/>`), "event handlers (OnClick)"},
		"an animated handler":     {in(`<set attributeName="onclick" to="x"/>`), "event handlers"},
		"a script address":        {in(`<a href="javascript:alert(1)"/>`), "script addresses"},
		"one that is disguised":   {in(`<a xlink:href=" java&#10;script&#x3a;alert(1)"/>`), "script addresses"},
		"one that is animated":    {in(`<animate attributeName="href" values="#a;javascript:alert(1)"/>`), "script addresses"},
		"an embedded page":        {in(`<use href="data:text/html,AAAA"/>`), "embed"},
		"an embedded SVG":         {in(`<image href="data:image/svg+xml;base64,AAAA"/>`), "embed"},
		"almost a bitmap":         {in(`<image href="data:image/pngx,AAAA"/>`), "embed"},
		"a style sheet":           {`<?xml-stylesheet href="x.xsl"?>` + in(""), "processing instructions (<?xml-stylesheet"},
		"a document type":         {`<!DOCTYPE svg [<!ENTITY a "b">]>` + in("&a;"), "document type"},
		"an unknown entity":       {in("&a;"), "not that of a .svg file"},
		"no namespace":            {"<svg/>", "not that of a .svg file"},
		"a page":                  {`<html xmlns="http://www.w3.org/2000/svg"/>`, "not that of a .svg file"},
		"half of it":              {`<svg xmlns="http://www.w3.org/2000/svg"><g>`, "not that of a .svg file"},
		"another encoding":        {`<?xml version="1.0" encoding="UTF-7"?>` + in(""), "not that of a .svg file"},
		"nothing":                 {"", "not that of a .svg file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			err := checkSVG([]byte(tt.svg))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("checkSVG = %v, want %q", err, tt.want)
			}
		})
	}
}

// Whatever is taken has none of the words that make an SVG active, read without
// any knowledge of XML.
func FuzzSVG(f *testing.F) {
	f.Add(`<svg xmlns="http://www.w3.org/2000/svg"><a href="#x" style="fill:red"/></svg>`)
	f.Add(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:s="http://www.w3.org/2000/svg"><s:script/></svg>`)
	f.Add(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="data:image/png;base64,AA"/></svg>`)
	f.Fuzz(func(t *testing.T, text string) {
		extension, err := extensionOf([]byte(text))
		if err != nil || extension != "svg" {
			return
		}
		lower := strings.ToLower(text)
		for _, word := range []string{"<script", "<!doctype", "<foreignobject", "<iframe", "<?xml-stylesheet", `href="javascript:`} {
			inert := strings.Contains(lower, "<!--") || strings.Contains(lower, "<![cdata[")
			if strings.Contains(lower, word) && !inert {
				t.Errorf("%q was taken with %q", text, word)
			}
		}
	})
}
