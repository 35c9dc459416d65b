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

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
)

// object is a mapping in the document, such as a product or a tier. Its methods read one field each
// and record what is wrong with it as a fault of the document.
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

// object reads a mapping. It records unknown and repeated fields as faults; without
// known, every field is known. A node of another kind is a fault too and becomes an
// object without fields.
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

// get returns the value of a field, and false if it is absent or null.
func (o object) get(name string) (*yaml.Node, bool) {
	n, ok := o.fields[name]
	return n, ok && n.ShortTag() != "!!null"
}

// filled is like get. In a bare document it returns false for an empty string too.
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
	s, breaks := strings.TrimSpace(n.Value), "" // YAML block scalars end in a line break
	if limit > text.Short {
		s, breaks = strings.ReplaceAll(s, "\r\n", "\n"), "\n\t\u2028\u2029"
	}
	switch {
	case !strings.ContainsFunc(s, text.Visible):
		d.fault(n, path, errs.CodeOutOfRange, "this must not be empty; leave the field out instead.")
	case utf8.RuneCountInString(s) > limit:
		d.fault(n, path, errs.CodeOutOfRange, "this must be at most %d characters.", limit)
	case strings.ContainsFunc(s, func(r rune) bool { return text.Misleading(r) && !strings.ContainsRune(breaks, r) }):
		d.fault(n, path, errs.CodeOutOfRange, "this must not contain control characters.")
	default:
		return s
	}
	return ""
}

// list calls fn for the first maxEntries entries of a list. More entries are one fault
// and are not read.
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

// entries calls fn for every entry of a list. It does nothing if the list is absent.
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

// boolean returns the value of a field, or absent if the field is absent or faulty.
func (o object) boolean(name string, absent bool) bool {
	n, ok := o.get(name)
	if !ok {
		return absent
	}
	yes := strings.EqualFold(n.Value, "true")
	if n.ShortTag() != "!!bool" || !yes && !strings.EqualFold(n.Value, "false") { // YAML takes "!!bool x"
		o.doc.fault(n, o.at(name), errs.CodeWrongType, "%s must be true or false.", name)
		return absent
	}
	return yes
}

// integer returns a whole number from low to high, or absent if the field is absent or faulty.
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

// decimal returns a number as the document spells it, because a float64 would round
// it, and false if the field is absent or not a number.
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

// moment returns a time, or the zero time if the field is absent or faulty.
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

// kindOf describes a node's kind for a message.
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
