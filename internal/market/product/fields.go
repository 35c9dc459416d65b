package product

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"stoa/internal/errs"
	"stoa/internal/text"
)

// object is a mapping of the document.
type object struct {
	doc    *Document
	node   *yaml.Node
	path   string // "" at the root
	fields map[string]*yaml.Node
}

// at returns the path of a field.
func (o object) at(name string) string {
	if o.path == "" {
		return name
	}
	return o.path + "." + name
}

// object reads a mapping whose fields are all known. It reports unknown and
// repeated ones, and returns an object without fields for anything else.
func (d *Document) object(n *yaml.Node, path string, known ...string) object {
	o := object{doc: d, node: n, path: path, fields: make(map[string]*yaml.Node)}
	if n.Kind != yaml.MappingNode {
		d.fault(n, path, errs.CodeWrongType, "this must be an object, not %s.", kindOf(n))
		return o
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		unknown := known != nil && !slices.Contains(known, name.Value)
		switch _, twice := o.fields[name.Value]; {
		case unknown && d.bare:
		case unknown:
			d.fault(name, o.at(name.Value), errs.CodeUnknownField, "there is no field %q here.", text.Clip(name.Value))
		case twice:
			d.fault(name, o.at(name.Value), errs.CodeDuplicate, "%q is given twice.", text.Clip(name.Value))
		default:
			o.fields[name.Value] = value
		}
	}
	return o
}

// get returns the value of a field; null counts as absent.
func (o object) get(name string) (*yaml.Node, bool) {
	n, ok := o.fields[name]
	return n, ok && n.ShortTag() != "!!null"
}

// filled is get for what an empty text leaves absent too, if the document is bare.
func (o object) filled(name string) (*yaml.Node, bool) {
	n, ok := o.get(name)
	return n, ok && (!o.doc.bare || n.Kind != yaml.ScalarNode || n.Tag != "!!str" || n.Value != "")
}

// required reports a field that is absent or an empty text. Nobody looks at its
// value then.
func (o object) required(names ...string) {
	for _, name := range names {
		n, ok := o.filled(name)
		if !ok {
			n = o.node
		}
		if o.node.Kind == yaml.MappingNode && (!ok || isBlank(n)) {
			o.doc.fault(n, o.at(name), errs.CodeRequired, "%s is required.", name)
			delete(o.fields, name)
		}
	}
}

// isBlank reports whether a node is a text that shows nothing. A text with a
// control character is not blank, but wrong (text).
func isBlank(n *yaml.Node) bool {
	something := func(r rune) bool { return text.Visible(r) || unicode.IsControl(r) }
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" &&
		!strings.ContainsFunc(strings.TrimSpace(n.Value), something)
}

// text returns a string of at most limit characters, without the white space
// around it, or "" if it is absent or wrong, which is reported. Strings longer
// than a line may have line breaks.
func (o object) text(name string, limit int) string {
	n, ok := o.filled(name)
	if !ok {
		return ""
	}
	return o.doc.text(n, o.at(name), limit)
}

func (d *Document) text(n *yaml.Node, path string, limit int) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		d.fault(n, path, errs.CodeWrongType, "this must be a string, not %s.", kindOf(n))
		return ""
	case n.ShortTag() != "!!str":
		d.fault(n, path, errs.CodeWrongType, "this must be a string; put %s in quotes.", text.Clip(n.Value))
		return ""
	}
	s, breaks := strings.TrimSpace(n.Value), "" // block texts end in a line break
	if limit > text.Short {
		s, breaks = strings.ReplaceAll(s, "\r\n", "\n"), "\n\t\u2028\u2029"
	}
	switch {
	case strings.IndexFunc(s, text.Visible) < 0:
		d.fault(n, path, errs.CodeOutOfRange, "this must not be empty; leave the field out instead.")
	case utf8.RuneCountInString(s) > limit:
		d.fault(n, path, errs.CodeOutOfRange, "this must be at most %d characters.", limit)
	case strings.IndexFunc(s, func(r rune) bool { return text.Misleading(r) && !strings.ContainsRune(breaks, r) }) >= 0:
		d.fault(n, path, errs.CodeOutOfRange, "this must not contain control characters.")
	default:
		return s
	}
	return ""
}

// list calls fn for each entry of a list of up to maxEntries, or for none if it is
// absent. It reports entries beyond that without a look at them.
func (o object) list(name string, fn func(n *yaml.Node, path string)) {
	n, ok := o.get(name)
	if ok && n.Kind == yaml.SequenceNode && len(n.Content) > maxEntries {
		o.doc.fault(n, o.at(name), errs.CodeOutOfRange, "%s must have at most %d entries.", name, maxEntries)
		cut := *n
		cut.Content = n.Content[:maxEntries]
		o.fields[name] = &cut
	}
	o.entries(name, fn)
}

// entries is list without a limit.
func (o object) entries(name string, fn func(n *yaml.Node, path string)) {
	n, ok := o.get(name)
	if !ok {
		return
	}
	if n.Kind != yaml.SequenceNode {
		o.doc.fault(n, o.at(name), errs.CodeWrongType, "%s must be a list, not %s.", name, kindOf(n))
		return
	}
	for i, entry := range n.Content {
		fn(entry, fmt.Sprintf("%s[%d]", o.at(name), i))
	}
}

// texts returns a list of strings.
func (o object) texts(name string, limit int) []string {
	var out []string
	o.list(name, func(n *yaml.Node, path string) { out = append(out, o.doc.text(n, path, limit)) })
	return out
}

// boolean returns true or false, or absent.
func (o object) boolean(name string, absent bool) bool {
	n, ok := o.get(name)
	if !ok {
		return absent
	}
	yes := strings.EqualFold(n.Value, "true")
	if n.ShortTag() != "!!bool" || !yes && !strings.EqualFold(n.Value, "false") { // !!bool goes before anything
		o.doc.fault(n, o.at(name), errs.CodeWrongType, "%s must be true or false.", name)
		return absent
	}
	return yes
}

// integer returns a whole number in a range, or absent.
func (o object) integer(name string, low, high, absent int) int {
	n, ok := o.get(name)
	if !ok {
		return absent
	}
	v, err := strconv.Atoi(n.Value)
	code := errs.CodeWrongType
	switch tag := n.ShortTag(); {
	case tag == "!!int" && err == nil && v >= low && v <= high:
		return v
	case tag == "!!int" && err == nil:
		code = errs.CodeOutOfRange
	case tag != "!!str" && errors.Is(err, strconv.ErrRange): // such an integer counts as !!float
		code = errs.CodeOutOfRange
	}
	o.doc.fault(n, o.at(name), code, "%s must be a whole number from %d to %d.", name, low, high)
	return absent
}

// decimal returns the digits of a number as they are written, for those who must
// not round it, and false if the field is absent or no number.
func (o object) decimal(name string) (string, bool) {
	n, ok := o.get(name)
	if !ok {
		return "", false
	}
	if tag := n.ShortTag(); tag != "!!int" && tag != "!!float" {
		o.doc.fault(n, o.at(name), errs.CodeWrongType, "%s must be a number.", name)
		return "", false
	}
	return n.Value, true
}

// moment returns a time, or the zero time if it is absent.
func (o object) moment(name string) time.Time {
	n, ok := o.filled(name)
	if !ok {
		return time.Time{}
	}
	code := errs.CodeWrongType
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		t, err := time.Parse(layout, n.Value)
		if err != nil {
			continue
		}
		// The year is that in UTC, in which it is written again.
		if t = t.UTC(); t.Year() >= 1970 && t.Year() <= 9999 {
			return t.Truncate(time.Millisecond)
		}
		code = errs.CodeOutOfRange
	}
	o.doc.fault(n, o.at(name), code,
		"%s must be a date such as 2026-05-01, or a time such as 2026-05-01T08:00:00Z.", name)
	return time.Time{}
}

// kindOf names what a node is.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "an object"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias (aliases are not read here)"
	case n.ShortTag() == "!!null":
		return "nothing"
	}
	return "a single value"
}
