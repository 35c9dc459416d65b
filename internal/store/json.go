package store

import "encoding/json"

// jsonList encodes a list as a JSON array, never as null.
func jsonList(list []string) (string, error) {
	if list == nil {
		return "[]", nil
	}
	b, err := json.Marshal(list)
	return string(b), err
}
