package market

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode"
)

// checkSVG returns nil for a well-formed XML document with the root svg that can
// do nothing but show itself: no document type, which could declare entities, no
// scripts in any form, and nothing of another language inside. Pages that show
// it as an image would not run it, and the headers it is served with keep it from
// running by itself; this is for whoever puts it into a page.
func checkSVG(b []byte) error {
	dec := xml.NewDecoder(bytes.NewReader(b))
	root := false
	for {
		token, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF) && root:
			return nil
		case err != nil:
			return errors.New("its content is not that of a .svg file")
		}
		switch t := token.(type) {
		case xml.Directive:
			return errors.New("an SVG must not have a document type (<!DOCTYPE …>)")
		case xml.ProcInst:
			if t.Target != "xml" {
				return errors.New("an SVG must not have processing instructions (<?" + t.Target + " …?>)")
			}
		case xml.StartElement:
			if !root && (t.Name.Local != "svg" || t.Name.Space != svgSpace) {
				return errors.New("its content is not that of a .svg file")
			}
			root = true
			if err := checkElement(t); err != nil {
				return err
			}
		}
	}
}

const svgSpace = "http://www.w3.org/2000/svg"

// activeElements run something or hold something other than a picture.
var activeElements = map[string]bool{
	"script": true, "handler": true, "listener": true, "foreignobject": true, "iframe": true, "embed": true, "object": true,
	"html": true, "body": true, "base": true, "meta": true, "link": true, "audio": true, "video": true,
}

func checkElement(e xml.StartElement) error {
	if activeElements[strings.ToLower(e.Name.Local)] {
		return errors.New("an SVG must not have the element " + e.Name.Local)
	}
	for _, a := range e.Attr {
		name := strings.ToLower(a.Name.Local)
		value := strings.ToLower(strings.Join(strings.FieldsFunc(a.Value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), ""))
		switch {
		case strings.HasPrefix(name, "on") && a.Name.Space == "", name == "attributename" && strings.HasPrefix(value, "on"):
			return errors.New("an SVG must not have event handlers (" + a.Name.Local + ")")
		case strings.Contains(value, "javascript:"), strings.Contains(value, "vbscript:"):
			return errors.New("an SVG must not have script addresses (" + a.Name.Local + ")")
		case (name == "href" || name == "src") && strings.HasPrefix(value, "data:") && !isBitmapData(value):
			return errors.New("an SVG may embed PNG, JPEG, GIF and WebP pictures only")
		}
	}
	return nil
}

func isBitmapData(address string) bool {
	for _, kind := range []string{"png", "jpeg", "jpg", "gif", "webp"} {
		if rest, ok := strings.CutPrefix(address, "data:image/"+kind); ok && (strings.HasPrefix(rest, ";") || strings.HasPrefix(rest, ",")) {
			return true
		}
	}
	return false
}
