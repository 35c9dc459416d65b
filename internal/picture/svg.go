package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode"

	"stoa/internal/text"
)

// checkSVG returns nil for a well-formed XML document with the root svg that can
// do nothing but show itself: no document type, which could declare entities, no
// scripts in any form, no elements but those below, and nothing that is fetched
// from elsewhere. Pages that show it as an image would not run it, and the headers
// it is served with keep it from running by itself; this is for whoever puts it
// into a page.
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

// svgElements are the elements an SVG may have. What they leave out runs
// something, holds another language, plays something or is fetched.
var svgElements = setOf(`svg g defs symbol use switch a title desc metadata view
	path rect circle ellipse line polyline polygon text tspan textPath image marker mask clipPath pattern style
	linearGradient radialGradient stop filter
	feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight
	feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset
	fePointLight feSpecularLighting feSpotLight feTile feTurbulence
	animate animateMotion animateTransform mpath set`)

// addressAttributes name something to fetch or to go to.
var addressAttributes = setOf("href src srcset ping data action formaction poster background codebase cite longdesc manifest usemap profile classid archive")

func setOf(words string) map[string]bool {
	out := make(map[string]bool)
	for _, word := range strings.Fields(words) {
		out[word] = true
	}
	return out
}

// xmlDeclaration is all that may stand between <?xml and ?>. encoding/xml passes over
// whatever else does, of which a page would show everything after the first >, and
// over an encoding with space around its equals sign.
var xmlDeclaration = regexp.MustCompile(`^version\s*=\s*("1\.0"|'1\.0')(\s+encoding\s*=\s*("(?i:utf-8)"|'(?i:utf-8)'))?(\s+standalone\s*=\s*("(yes|no)"|'(yes|no)'))?\s*$`)

// rootTag begins a root that a page takes for an SVG. All that is below one with a
// prefix is HTML to it, where titles and CDATA end elsewhere.
var rootTag = regexp.MustCompile(`^<svg[\s/>]`)

// svgChecker checks a document token by token.
type svgChecker struct {
	depth    int
	root     bool            // was there
	declared map[string]bool // namespaces
	prose    int             // depth of the title or desc element, 0 outside
	style    int             // depth of the style element, 0 outside
	css      strings.Builder // what it holds so far, which is one text however it is cut
}

func (c *svgChecker) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return errors.New("an SVG must not have a document type (<!DOCTYPE …>)")
	case xml.ProcInst:
		return checkInstruction(t)
	case xml.Comment:
		if t := string(t); strings.HasPrefix(t, ">") || strings.HasPrefix(t, "->") {
			return errors.New("an SVG must not have comments that HTML ends elsewhere")
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

// checkInstruction returns nil for the XML declaration, which is none.
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
	case c.prose > 0: // to a page these are HTML: a style there ends where its text says so
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

// declare notes the namespaces that an element declares. Pages know none of them:
// there xlink:href is an address in whatever case, and whatever its prefix means.
func (c *svgChecker) declare(attrs []xml.Attr) error {
	for _, a := range attrs {
		switch prefixed := a.Name.Space == "xmlns"; {
		case prefixed && strings.EqualFold(a.Name.Local, "xlink") && a.Value != xlinkSpace:
			return errors.New("an SVG must not give the prefix xlink another meaning")
		case prefixed, a.Name.Space == "" && a.Name.Local == "xmlns":
			// An undeclared prefix comes in the place of its namespace. It has no colon.
			c.declared[a.Value] = strings.Contains(a.Value, ":")
		}
	}
	return nil
}

// attribute checks an attribute. What other namespaces have says nothing to those
// who show the picture.
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
	switch {
	case strings.HasPrefix(name, "on"), name == "attributename" && strings.HasPrefix(animated, "on"):
		return errors.New("an SVG must not have event handlers (" + text.Clip(a.Name.Local) + ")")
	case strings.Contains(value, "javascript:"), strings.Contains(value, "vbscript:"):
		return errors.New("an SVG must not have script addresses (" + text.Clip(a.Name.Local) + ")")
	case name == "attributename" && (addressAttributes[animated] || animated == "style" || animated == "base"):
		return errors.New("an SVG must not animate addresses or styles")
	case addressAttributes[name] && strings.HasPrefix(value, "data:") && !isBitmapData(value):
		return errors.New("an SVG may embed PNG, JPEG, GIF and WebP pictures only")
	case addressAttributes[name] && !isLocal(value):
		return errors.New("an SVG must not refer to anything outside of itself (" + text.Clip(a.Name.Local) + ")")
	case addressAttributes[name], name == "id", name == "class", strings.HasPrefix(name, "data-"), strings.HasPrefix(name, "aria-"):
		return nil
	}
	return checkCSS(a.Value, a.Name.Local)
}

// checkCSS returns nil for CSS that fetches nothing. Presentation attributes are
// CSS too.
func checkCSS(style, where string) error {
	css := squeeze(style)
	for _, word := range []string{
		`\`, "<", "@import", "://", "image(", "image-set(", "cross-fade(", "src(", "expression(", "behavior:", "-moz-binding", "javascript:",
	} {
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

// squeeze returns a text as lower case without what parsers of addresses and of
// CSS pass over.
func squeeze(s string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), ""))
}

// isLocal reports whether an address, squeezed, is part of the document or a
// bitmap in it.
func isLocal(address string) bool {
	return address == "" || strings.HasPrefix(address, "#") || isBitmapData(address)
}

func isBitmapData(address string) bool {
	for _, kind := range []string{"png", "jpeg", "jpg", "gif", "webp"} {
		if rest, ok := strings.CutPrefix(address, "data:image/"+kind); ok && (strings.HasPrefix(rest, ";") || strings.HasPrefix(rest, ",")) {
			return true
		}
	}
	return false
}
