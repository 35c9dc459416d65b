package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Fault says where data stops being JSON, and why, such as "line 3, column 5: invalid character '}'
// looking for beginning of value"; "" if it is valid. Columns are counted in characters, both from 1.
func Fault(data []byte) string {
	var value json.RawMessage
	syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(data, &value))
	if !ok {
		return ""
	}
	reason := strings.TrimPrefix(syntax.Error(), "json: ")
	before := data[:min(max(syntax.Offset-1, 0), int64(len(data)))]
	if strings.HasPrefix(reason, "unexpected end") {
		before = data
	}
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d: %s", line, column, reason)
}
