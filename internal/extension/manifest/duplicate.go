package manifest

import (
	"bytes"
	"encoding/json"
	"strings"

	"stoa/internal/base/errs"
)

// checkDuplicates adds an issue for each field that a JSON document gives twice.
// Parsers differ in which of the two values they take, and no two of them may see
// different packages. raw is valid JSON.
func checkDuplicates(raw []byte, faults *errs.Issues) {
	type level struct {
		names map[string]bool // nil in an array
		path  string
		name  string // of the field whose value comes
		key   bool   // the next string is a name
	}
	var stack []level
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return // the end: raw is valid
		}
		var top *level
		if len(stack) > 0 {
			top = &stack[len(stack)-1]
		}
		if name, isText := token.(string); isText && top != nil && top.key {
			path := top.path + clip(name)
			if top.names[name] {
				faults.Add(path, errs.CodeDuplicate, "%s is given twice.", path)
			}
			top.names[name], top.name, top.key = true, name, false
			continue
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			next := level{}
			if top != nil {
				next.path = top.path + clip(top.name) + "."
			}
			if token == json.Delim('{') {
				next.names, next.key = make(map[string]bool), true
			}
			stack = append(stack, next)
			continue
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
			if len(stack) == 0 {
				return
			}
			top = &stack[len(stack)-1]
		}
		if top != nil {
			top.key = top.names != nil
		}
	}
}

// clip shortens a name, so that thousands of faults below a long one do not repeat it.
func clip(name string) string {
	const most = 100
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}
