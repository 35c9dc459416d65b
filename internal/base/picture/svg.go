package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode"

	"stoa/internal/base/text"
)

// checkSVG returns nil for a well-formed SVG document without active or external
// content: no document type, which could declare entities, no scripts in any form, no
// elements except svgElements, and nothing that is loaded from elsewhere. Browsers do
// not run scripts of an SVG that is used as an image, and the headers that stoa serves
// it with forbid them; this check protects pages that embed the SVG's markup.
func checkSVG(b []byte) error {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	dec := xml.NewDecoder(bytes.NewReader(b))
	c := svgChecker{declared: map[string]bool{xmlSpace: true}}
	for first := true; ; first = false {
		hadRoot, tag := c.root, dec.InputOffset()
		token, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF) && c.root:
			return nil
		case err != nil:
			return errNotSVG
		}
		if err := c.token(token); err != nil {
			return err
		}
		if _, ok := token.(xml.ProcInst); ok && !first {
			return errNotSVG
		}
		if c.root && !hadRoot && !rootTag.Match(b[tag:]) {
			return errors.New("an SVG must have a root without a prefix (<svg …>)")
		}
	}
}

var errNotSVG = errors.New("its content is not that of a .svg file")

const (
	svgSpace   = "http://www.w3.org/2000/svg"
	xlinkSpace = "http://www.w3.org/1999/xlink"
	xmlSpace   = "http://www.w3.org/XML/1998/namespace"
)

// svgElements are the elements an SVG may have. The others run scripts, embed other
// languages or media, or load something.
var svgElements = setOf(`svg g defs symbol use switch a title desc metadata view
	path rect circle ellipse line polyline polygon text tspan textPath image marker mask clipPath pattern style
	linearGradient radialGradient stop filter
	feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
	feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode
	feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence
	animate animateMotion animateTransform mpath set`)

// addressAttributes are the attributes whose value is an address to load or to link to.
var addressAttributes = setOf(`href src srcset ping data action formaction poster background codebase cite longdesc
	manifest usemap profile classid archive`)

func setOf(words string) map[string]bool {
	out := make(map[string]bool)
	for _, word := range strings.Fields(words) {
		out[word] = true
	}
	return out
}

// xmlDeclaration matches the only text allowed between <?xml and ?>. encoding/xml
// ignores any other text there, while an HTML page would show what follows its first
// ">". encoding/xml also misses an encoding with spaces around its equals sign.
var xmlDeclaration = regexp.MustCompile(`^version\s*=\s*("1\.0"|'1\.0')` +
	`(\s+encoding\s*=\s*("(?i:utf-8)"|'(?i:utf-8)'))?(\s+standalone\s*=\s*("(yes|no)"|'(yes|no)'))?\s*$`)

// rootTag matches a root element that an HTML parser recognizes as an SVG. It parses
// the content of a root with a prefix as HTML, where titles and CDATA sections end
// elsewhere.
var rootTag = regexp.MustCompile(`^<svg[\s/>]`)

// svgChecker checks a document token by token.
type svgChecker struct {
	depth    int
	root     bool            // the root element has begun
	declared map[string]bool // namespaces
	prose    int             // depth of the title or desc element, 0 outside of one
	style    int             // depth of the style element, 0 outside of one
	css      strings.Builder // content of the style element so far, which may come in several tokens
}

func (c *svgChecker) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return errors.New("an SVG must not have a document type (<!DOCTYPE …>)")
	case xml.ProcInst:
		return checkInstruction(t)
	case xml.Comment:
		if t := string(t); strings.HasPrefix(t, ">") || strings.HasPrefix(t, "->") { // HTML ends them there
			return errors.New("an SVG must not have comments that begin with > or ->")
		}
	case xml.CharData:
		if c.depth == 0 && len(bytes.Trim(t, " \t\r\n")) > 0 {
			return errors.New("an SVG must not have text outside of its root")
		}
		if c.style > 0 {
			c.css.Write(t)
		}
	case xml.StartElement:
		return c.start(t)
	case xml.EndElement:
		c.depth--
		if c.prose > c.depth {
			c.prose = 0
		}
		if c.style > c.depth {
			css := c.css.String()
			c.style = 0
			c.css.Reset()
			return checkCSS(css, "style")
		}
	}
	return nil
}

// checkInstruction returns nil for the XML declaration, which encoding/xml takes for a
// processing instruction.
func checkInstruction(i xml.ProcInst) error {
	switch {
	case i.Target != "xml":
		return errors.New("an SVG must not have processing instructions (<?" + i.Target + " …?>)")
	case !xmlDeclaration.Match(i.Inst):
		return errNotSVG
	}
	return nil
}

func (c *svgChecker) start(e xml.StartElement) error {
	if err := c.declare(e.Attr); err != nil {
		return err
	}
	switch {
	case c.depth == 0 && c.root, c.depth == 0 && (e.Name.Local != "svg" || e.Name.Space != svgSpace):
		return errNotSVG
	case e.Name.Space != svgSpace || !svgElements[e.Name.Local]:
		return errors.New("an SVG must not have the element " + text.Clip(e.Name.Local))
	case c.style > 0:
		return errors.New("an SVG must not have elements in a style")
	case c.prose > 0: // HTML parses these as HTML, where a style ends elsewhere
		return errors.New("an SVG must not have elements in a title or description")
	}
	c.root = true
	c.depth++
	switch e.Name.Local {
	case "style":
		c.style = c.depth
	case "title", "desc":
		c.prose = c.depth
	}
	for _, a := range e.Attr {
		if err := c.attribute(a); err != nil {
			return err
		}
	}
	return nil
}

// declare records the namespaces that an element declares. HTML does not know
// namespaces: there xlink:href is an address in any case and whatever its prefix means.
func (c *svgChecker) declare(attrs []xml.Attr) error {
	for _, a := range attrs {
		switch prefixed := a.Name.Space == "xmlns"; {
		case prefixed && strings.EqualFold(a.Name.Local, "xlink") && a.Value != xlinkSpace:
			return errors.New("an SVG must not give the prefix xlink another meaning")
		case prefixed, a.Name.Space == "" && a.Name.Local == "xmlns":
			// encoding/xml reports an undeclared prefix as the namespace. It has no colon.
			c.declared[a.Value] = strings.Contains(a.Value, ":")
		}
	}
	return nil
}

// attribute checks an attribute. Browsers ignore attributes of foreign namespaces.
func (c *svgChecker) attribute(a xml.Attr) error {
	name, value := strings.ToLower(a.Name.Local), squeeze(a.Value)
	switch space := a.Name.Space; {
	case space == "xmlns", space == "" && name == "xmlns":
		return nil
	case space == xmlSpace && name == "base":
		return errors.New("an SVG must not have a base address (xml:base)")
	case space != "" && !c.declared[space]:
		return errNotSVG
	case space != "" && space != xlinkSpace && space != svgSpace:
		return nil
	}
	_, animated, prefixed := strings.Cut(value, ":")
	if !prefixed {
		animated = value
	}
	isAddress := addressAttributes[name]
	switch {
	case strings.HasPrefix(name, "on"), name == "attributename" && strings.HasPrefix(animated, "on"):
		return errors.New("an SVG must not have event handlers (" + text.Clip(a.Name.Local) + ")")
	case strings.Contains(value, "javascript:"), strings.Contains(value, "vbscript:"):
		return errors.New("an SVG must not have script addresses (" + text.Clip(a.Name.Local) + ")")
	case name == "attributename" && (addressAttributes[animated] || animated == "style" || animated == "base"):
		return errors.New("an SVG must not animate addresses or styles")
	case isAddress && strings.HasPrefix(value, "data:") && !isBitmapData(value):
		return errors.New("an SVG may embed PNG, JPEG, GIF and WebP pictures only")
	case isAddress && !isLocal(value):
		return errors.New("an SVG must not refer to anything outside of itself (" + text.Clip(a.Name.Local) + ")")
	case isAddress, name == "id", name == "class", strings.HasPrefix(name, "data-"), strings.HasPrefix(name, "aria-"):
		return nil
	}
	return checkCSS(a.Value, a.Name.Local)
}

// forbiddenCSS are parts of CSS that load something, run scripts, or hide another part.
var forbiddenCSS = []string{
	`\`, "<", "@import", "://", "image(", "image-set(", "cross-fade(", "src(",
	"expression(", "behavior:", "-moz-binding", "javascript:",
}

// checkCSS returns nil for CSS that loads nothing. Presentation attributes are CSS too.
func checkCSS(style, where string) error {
	css := squeeze(style)
	for _, word := range forbiddenCSS {
		if strings.Contains(css, word) {
			return errors.New("an SVG must not have " + word + " in its styles (" + text.Clip(where) + ")")
		}
	}
	for {
		_, rest, found := strings.Cut(css, "url(")
		if !found {
			return nil
		}
		if !isLocal(strings.TrimLeft(rest, `"'`)) {
			return errors.New("an SVG must not refer to anything outside of itself (" + text.Clip(where) + ")")
		}
		css = rest
	}
}

// squeeze returns a text in lower case without white space and control characters, which
// parsers of addresses and CSS may skip.
func squeeze(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, s))
}

// isLocal reports whether a squeezed address leads to a part of the document or to a
// bitmap embedded in it.
func isLocal(address string) bool {
	return address == "" || strings.HasPrefix(address, "#") || isBitmapData(address)
}

func isBitmapData(address string) bool {
	for _, kind := range []string{"png", "jpeg", "jpg", "gif", "webp"} {
		rest, ok := strings.CutPrefix(address, "data:image/"+kind)
		if ok && (strings.HasPrefix(rest, ";") || strings.HasPrefix(rest, ",")) {
			return true
		}
	}
	return false
}
