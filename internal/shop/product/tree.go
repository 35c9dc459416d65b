package product

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"stoa/internal/base/jsontext"
)

// parseTree returns the root of a catalog in JSON or YAML. JSON has its own parser,
// because not all JSON is YAML: escapes of characters above U+FFFF are not, for example.
//
// It returns errNotUnicode for data that is not UTF-8, or with an escape that is not a
// character.
func parseTree(data []byte) (*yaml.Node, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // a byte order mark: some editors write it, JSON forbids it
	isJSON := json.Valid(data)
	if !utf8.Valid(data) || isJSON && !jsontext.Unicode(data) {
		return nil, errNotUnicode
	}
	if isJSON {
		return parseJSON(data)
	}
	return parseYAML(data)
}

var errNotUnicode = errors.New("the catalog must be UTF-8, and its \\u escapes must be characters")

// parseYAML returns the root of a file with exactly one document.
func parseYAML(data []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var doc, more yaml.Node
	if err := loader.Load(&doc); errors.Is(err, io.EOF) {
		return nil, errEmpty
	} else if err != nil {
		return nil, err
	}
	if err := loader.Load(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("the catalog must be one YAML document")
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errEmpty
	}
	cutAliases(doc.Content[0])
	return doc.Content[0], nil
}

var errEmpty = errors.New("the catalog is empty")

// cutAliases empties the aliases in a tree. Catalogs cannot use aliases, but the parser
// gives each the tag of its target and the anchor's name as its value, which would pass
// for a value.
func cutAliases(n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		n.Alias, n.Value = nil, ""
	}
	for _, child := range n.Content {
		cutAliases(child)
	}
}

// parseJSON returns the root of valid JSON. Numbers keep their digits, and objects keep
// repeated fields.
func parseJSON(data []byte) (*yaml.Node, error) {
	p := jsonParser{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	p.dec.UseNumber()
	return p.value()
}

type jsonParser struct {
	data []byte
	dec  *json.Decoder
	line int // of the offset seen
	seen int // offset up to which lines are counted
}

func (p *jsonParser) value() (*yaml.Node, error) {
	token, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	end := int(p.dec.InputOffset())
	p.line += bytes.Count(p.data[p.seen:end], []byte("\n"))
	p.seen = end
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: p.line}
	switch t := token.(type) {
	case json.Delim:
		return n, p.children(n, t)
	case string:
		n.Tag, n.Value = "!!str", t
	case json.Number:
		n.Tag, n.Value = numberTag(t), t.String()
	case bool:
		n.Tag, n.Value = "!!bool", "false"
		if t {
			n.Value = "true"
		}
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, nil
}

// children reads the content of an object or array up to its end.
func (p *jsonParser) children(n *yaml.Node, open json.Delim) error {
	n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
	if open == '{' {
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
	}
	for p.dec.More() {
		child, err := p.value() // an object's names come as strings
		if err != nil {
			return err
		}
		n.Content = append(n.Content, child)
	}
	_, err := p.dec.Token()
	return err
}

func numberTag(n json.Number) string {
	if strings.ContainsAny(n.String(), ".eE") {
		return "!!float"
	}
	return "!!int"
}

// appendJSON appends the JSON of a tree.
func appendJSON(b []byte, n *yaml.Node) []byte {
	switch n.Kind {
	case yaml.MappingNode:
		b = append(b, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b = append(b, ',')
			}
			b = jsontext.AppendString(b, n.Content[i].Value)
			b = append(b, ':')
			b = appendJSON(b, n.Content[i+1])
		}
		return append(b, '}')
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, entry := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, entry)
		}
		return append(b, ']')
	default:
	}
	if n.Tag == "!!str" || n.Tag == "!!timestamp" {
		return jsontext.AppendString(b, n.Value)
	}
	return append(b, n.Value...)
}
