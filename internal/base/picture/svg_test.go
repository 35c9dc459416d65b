package picture

import (
	"encoding/xml"
	"strings"
	"testing"
)

// svgWith returns an SVG with that content.
func svgWith(content string) string {
	return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">` + content + `</svg>`
}

var svgCases = map[string]struct {
	svg  string
	want string // part of the reason, or "" if it is accepted
}{
	"an attribute named on…": {svgWith(`<text once="x"/>`), "event handlers (once)"},
	"shapes, style and text": {svgWith(`<path d="M0 0h1"/><style>.a{fill:red}</style><text class="a">javascript is a ` +
		`word</text>`), ""},
	"links within itself": {svgWith(`<defs><g id="a"/></defs><use href="#a"/><use xlink:href="#a"/>`), ""},
	"a declared encoding": {`<?xml version="1.0" encoding="UTF-8"?><!-- made by hand -->` + svgWith(""), ""},
	"an embedded bitmap": {svgWith(`<image href="data:image/png;base64,AAAA"/><image ` +
		`xlink:href="data:image/jpeg,AA"/>`), ""},
	"what editors leave":   {svgWith(`<metadata/><g xmlns:x="urn:x" x:onset="1" x:label="https://example.com"/>`), ""},
	"text around the root": {" <!-- a -->\n" + svgWith("") + "\n<!-- b --> ", ""},
	"gradients and filters": {svgWith(`<linearGradient id="g"/><path fill="url(#g)" style="filter: ` +
		`url('#f')"/><style>a { mask: url( "#m" ) }</style>`), ""},
	"an animation": {svgWith(`<rect><animate attributeName="x" values="0;1"/><set attributeName="fill" ` +
		`to="red"/></rect>`), ""},
	"a bitmap in a style": {svgWith(`<rect style="fill:url(data:image/png;base64,AAAA)"/>`), ""},
	"a title": {svgWith(`<title>A &amp; B<![CDATA[<b>]]><!-- c ` +
		`--></title><desc>D</desc><style>.a{fill:red}</style><g/>`), ""},
	"a whole declaration":     {`<?xml version = '1.0' encoding = "utf-8" standalone='no' ?>` + svgWith(""), ""},
	"another language":        {svgWith(`<metadata><x xmlns="urn:x"/></metadata>`), "element x"},
	"XHTML":                   {svgWith(`<div xmlns="http://www.w3.org/1999/xhtml"/>`), "element div"},
	"XHTML as an SVG's":       {svgWith(`<a xmlns="http://www.w3.org/1999/xhtml" href="#"/>`), "element a"},
	"MathML":                  {svgWith(`<math xmlns="http://www.w3.org/1998/Math/MathML"/>`), "element math"},
	"an undeclared prefix":    {svgWith(`<x:g/>`), "element g"},
	"an attribute's prefix":   {svgWith(`<g x:label="a"/>`), "not that of a .svg file"},
	"a picture elsewhere":     {svgWith(`<image href="https://example.com/a.png"/>`), "outside of itself"},
	"a picture on the server": {svgWith(`<image xlink:href="/a.png"/>`), "outside of itself"},
	"another xlink prefix": {
		svgWith(`<image xmlns:l="http://www.w3.org/1999/xlink" l:href="//example.com/a.png"/>`),
		"outside of itself",
	},
	"symbols elsewhere":        {svgWith(`<use href="https://example.com/a.svg#a"/>`), "outside of itself"},
	"a link elsewhere":         {svgWith(`<a href="https://example.com"/>`), "outside of itself"},
	"a ping":                   {svgWith(`<a href="#a" ping="/count"/>`), "outside of itself"},
	"another base":             {svgWith(`<g xml:base="https://example.com/"/>`), "base address"},
	"a style sheet's import":   {svgWith(`<style>@import "a.css";</style>`), "@import"},
	"an import in two parts":   {svgWith(`<style>@im<!-- -->port "a.css";</style>`), "@import"},
	"an escaped import":        {svgWith(`<style>@\69mport "a.css";</style>`), "have \\ in"},
	"an address in two parts":  {svgWith(`<style>a{fill:u<![CDATA[rl(]]>/a)}</style>`), "outside of itself"},
	"an address in a style":    {svgWith(`<g style="fill:URL( //example.com/a )"/>`), "outside of itself"},
	"an address in a fill":     {svgWith(`<g fill="url('/a#b')"/>`), "outside of itself"},
	"a style's second address": {svgWith(`<style>a{fill:url(#a);mask:url(b)}</style>`), "outside of itself"},
	"an image set":             {svgWith(`<style>a{background:image-set("a" 1x)}</style>`), "image-set"},
	"markup in a style":        {svgWith(`<style><![CDATA[<img src="x">]]></style>`), "in its styles"},
	"an element in a style":    {svgWith(`<style><g/></style>`), "elements in a style"},
	"an animated address": {
		svgWith(`<use href="#a"><set attributeName="href" to="data:text/html,A"/></use>`),
		"animate",
	},
	"an animated xlink:href": {svgWith(`<use href="#a"><animate attributeName="xlink:href" to="#b"/></use>`), "animate"},
	"an animated style":      {svgWith(`<set attributeName="fill" to="url(https://example.com/a)"/>`), "styles (to)"},
	"text after the root":    {svgWith("") + "alert(1)", "outside of its root"},
	"text before the root":   {"alert(1)" + svgWith(""), "outside of its root"},
	"two roots":              {svgWith("") + svgWith(""), "not that of a .svg file"},
	"a late declaration":     {"<!-- --><?xml version='1.0'?>" + svgWith(""), "not that of a .svg file"},
	"a comment HTML ends":    {svgWith("<!--><script>alert(1)</script>-->"), "comments that begin with"},
	"a declaration HTML ends": {
		`<?xml version="1.0" ><img src="x" onerror="alert(1)">?>` + svgWith(""),
		"not that of a .svg file",
	},
	"an encoding in disguise": {`<?xml version="1.0" encoding = "shift_jis"?>` + svgWith(""), "not that of a .svg file"},
	"HTML in a title": {
		svgWith(`<title><g><![CDATA[><img src="x" onerror="alert(1)">]]></g></title>`),
		"elements in a title",
	},
	"HTML in a description": {
		svgWith(`<desc><style><!-- </style><img src="x" onerror="alert(1)"> --></style></desc>`),
		"elements in a title",
	},
	"a false xlink": {svgWith(`<a xmlns:xlink="urn:x" xlink:href="javascript:alert(1)"/>`), "prefix xlink"},
	"a false XLINK": {svgWith(`<a xmlns:XLINK="urn:x" XLINK:HREF="javascript:alert(1)"/>`), "prefix xlink"},
	"a root with a prefix": {`<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:text><![CDATA[><img src="x" ` +
		`onerror="alert(1)">]]></s:text></s:svg>`, "root without a prefix"},
	"a root with prefix svg": {`<!-- <svg> --><svg:svg xmlns="http://www.w3.org/2000/svg" ` +
		`xmlns:svg="http://www.w3.org/2000/svg"><title><![CDATA[</title><img src="x" ` +
		`onerror="alert(1)">]]></title></svg:svg>`, "root without a prefix"},
	"prefixes below the root": {svgWith(`<s:g xmlns:s="http://www.w3.org/2000/svg"><s:title>A<![CDATA[<b>]]></s:title></s:g>`), ""},
	"a namespace named xlink": {`<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="xlink"><a ` +
		`xlink:href="javascript:alert(1)"/></svg>`, "not that of a .svg file"},
	"a script":               {svgWith(`<script>alert(1)</script>`), "element script"},
	"a script in other case": {svgWith(`<SCRIPT/>`), "element SCRIPT"},
	"a script with a prefix": {svgWith(`<s:script xmlns:s="http://www.w3.org/2000/svg"/>`), "element script"},
	"a page inside":          {svgWith(`<foreignObject><b/></foreignObject>`), "element foreignObject"},
	"a frame":                {svgWith(`<iframe src="https://example.com"/>`), "element iframe"},
	"a handler": {
		strings.Replace(svgWith(""), "<svg ", `<svg onload="alert(1)" `, 1),
		"event handlers (onload)",
	},
	"a handler in other case": {svgWith(`<a OnClick="x"/>`), "event handlers (OnClick)"},
	"an animated handler":     {svgWith(`<set attributeName="onclick" to="x"/>`), "event handlers"},
	"a script address":        {svgWith(`<a href="javascript:alert(1)"/>`), "script addresses"},
	"a disguised address":     {svgWith(`<a xlink:href=" java&#10;script&#x3a;alert(1)"/>`), "script addresses"},
	"an animated script": {
		svgWith(`<animate attributeName="href" values="#a;javascript:alert(1)"/>`),
		"animate addresses",
	},
	"an embedded page": {svgWith(`<use href="data:text/html,AAAA"/>`), "embed"},
	"an embedded SVG":  {svgWith(`<image href="data:image/svg+xml;base64,AAAA"/>`), "embed"},
	"almost a bitmap":  {svgWith(`<image href="data:image/pngx,AAAA"/>`), "embed"},
	"a style sheet": {
		`<?xml-stylesheet href="x.xsl"?>` + svgWith(""),
		"processing instructions (<?xml-stylesheet",
	},
	"a document type":     {`<!DOCTYPE svg [<!ENTITY a "b">]>` + svgWith("&a;"), "document type"},
	"an unknown entity":   {svgWith("&a;"), "not that of a .svg file"},
	"no namespace":        {"<svg/>", "not that of a .svg file"},
	"a page":              {`<html xmlns="http://www.w3.org/2000/svg"/>`, "not that of a .svg file"},
	"an unclosed element": {`<svg xmlns="http://www.w3.org/2000/svg"><g>`, "not that of a .svg file"},
	"another encoding":    {`<?xml version="1.0" encoding="UTF-7"?>` + svgWith(""), "not that of a .svg file"},
	"nothing":             {"", "not that of a .svg file"},
}

func TestAnSVGCanOnlyShowItself(t *testing.T) {
	t.Parallel()

	for name, tt := range svgCases {
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

// Each way to load something or to run a script, on its own.
func TestAnSVGFetchesNothing(t *testing.T) {
	t.Parallel()

	wrong := make(map[string]string) // content → part of the reason
	for _, css := range []string{
		"image('a')", "-webkit-image-set('a' 1x)", "cross-fade('a', 'b')", "src('a')", "expression(a)", "x; behavior: a",
		"x; -moz-binding: a", "javascript:a", "x://a", `\75rl(a)`, "@import 'a'",
	} {
		wrong[`<style>a{fill:`+css+`}</style>`] = "in its styles"
	}
	for name := range strings.FieldsSeq("href src srcset ping data action formaction poster background codebase cite " +
		"longdesc manifest usemap profile classid archive") {
		wrong[`<a `+name+`="/a"/>`] = "outside of itself"
		wrong[`<a `+name+`="vbscript:a"/>`] = "script addresses"
		wrong[`<set attributeName="`+name+`" to="#a"/>`] = "animate addresses"
	}
	wrong[`<set attributeName="style" to="fill:red"/>`] = "animate addresses or styles"
	wrong[`<set attributeName="xml:base" to="#a"/>`] = "animate addresses"
	wrong[`<!--->a-->`] = "comments that begin with"
	wrong[`<style>a{}</style><style>b{fill:url(/a)}</style>`] = "outside of itself"
	wrong[`<g xmlns:s="http://www.w3.org/2000/svg" s:onclick="a"/>`] = "event handlers"
	for content, want := range wrong {
		err := checkSVG([]byte(`<svg xmlns="http://www.w3.org/2000/svg">` + content + `</svg>`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: checkSVG = %v, want %q", content, err, want)
		}
	}
	marked := "\ufeff" + `<svg xmlns="http://www.w3.org/2000/svg"><style>a{fill:red}</style><style>b{fill:url(#a)}</style></svg>`
	if extension, err := Extension([]byte(marked)); err != nil || extension != "svg" {
		t.Errorf("with a byte order mark: %q, %v", extension, err)
	}
}

// An accepted SVG contains none of the words that make one active. The check does not
// parse XML, so it does not share the mistakes of the code that it tests.
func FuzzSVG(f *testing.F) {
	f.Add(`<svg xmlns="http://www.w3.org/2000/svg"><a href="#x" style="fill:red"/></svg>`)
	f.Add(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:s="http://www.w3.org/2000/svg"><s:script/></svg>`)
	f.Add(
		`<svg xmlns="http://www.w3.org/2000/svg"><style>@import "a";a{fill:url(#a)}</style><image ` +
			`href="http://example.com"/><set attributeName="href" to="//x"/></svg>`,
	)
	f.Add(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="data:image/png;base64,AA"/></svg>`)
	f.Fuzz(func(t *testing.T, text string) {
		extension, err := Extension([]byte(text))
		if err != nil || extension != "svg" {
			return
		}
		lower := strings.ToLower(text)
		for _, word := range []string{
			"<script", "<!doctype", "<foreignobject", "<iframe", "<?xml-stylesheet",
			`href="javascript:`,
		} {
			inert := strings.Contains(lower, "<!--") || strings.Contains(lower, "<![cdata[")
			if strings.Contains(lower, word) && !inert {
				t.Errorf("%q was accepted with %q", text, word)
			}
		}
		for dec := xml.NewDecoder(strings.NewReader(text)); ; {
			token, err := dec.Token()
			if err != nil {
				return
			}
			element, _ := token.(xml.StartElement)
			for _, a := range element.Attr {
				if at := strings.TrimSpace(a.Value); strings.EqualFold(a.Name.Local, "href") &&
					(a.Name.Space == "" || a.Name.Space == xlinkSpace) &&
					strings.HasPrefix(at, "http") {
					t.Errorf("%q was accepted with the address %q", text, at)
				}
			}
		}
	})
}
