package store

import (
	"encoding/json"
	"fmt"
)

// jsonList encodes a list as a JSON array, never as null.
func jsonList(list []string) (string, error) {
	if list == nil {
		return "[]", nil
	}
	b, err := json.Marshal(list)
	return string(b), err
}

// textList scans a column that holds what jsonList returned. An empty list becomes nil.
type textList []string

// Scan implements sql.Scanner.
func (l *textList) Scan(src any) error {
	var raw []byte
	switch v := src.(type) {
	case string:
		raw = []byte(v)
	case []byte:
		raw = v
	default:
		return fmt.Errorf("store: a list is no text but %T", src)
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	if *l = nil; len(list) > 0 {
		*l = list
	}
	return nil
}
