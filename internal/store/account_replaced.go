package store

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/jsontext"
)

// replacedRow is an account.Replaced in the JSON of sessions.replaced_json.
type replacedRow struct {
	ID       string `json:"id"`
	KeyID    string `json:"kid"`
	IssuedMs int64  `json:"iat"`
	AtMs     int64  `json:"at"`
}

func (r replacedRow) replaced() account.Replaced {
	return account.Replaced{
		Refresh: account.Refresh{ID: r.ID, KeyID: r.KeyID, IssuedAt: time.UnixMilli(r.IssuedMs).UTC()},
		At:      time.UnixMilli(r.AtMs).UTC(),
	}
}

// encodeReplaced returns a list of replacedRow. Every refresh writes one, and encoding/json takes five
// times as long.
func encodeReplaced(list []account.Replaced) string {
	b := append(make([]byte, 0, 2+128*len(list)), '[')
	for i, r := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(append(b, `{"id":`...), r.ID)
		b = jsontext.AppendString(append(b, `,"kid":`...), r.KeyID)
		b = strconv.AppendInt(append(b, `,"iat":`...), r.IssuedAt.UnixMilli(), 10)
		b = strconv.AppendInt(append(b, `,"at":`...), r.At.UnixMilli(), 10)
		b = append(b, '}')
	}
	return string(append(b, ']'))
}

// decodeReplaced reverses encodeReplaced. It leaves any other spelling to encoding/json.
func decodeReplaced(text string) ([]account.Replaced, error) {
	if list, ok := decodeOwnReplaced(text); ok {
		return list, nil
	}
	var rows []replacedRow
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		return nil, err
	}
	var list []account.Replaced
	for _, r := range rows {
		list = append(list, r.replaced())
	}
	return list, nil
}

// decodeOwnReplaced reads the output of encodeReplaced for ids without escapes.
func decodeOwnReplaced(text string) (list []account.Replaced, ok bool) {
	text, starts := strings.CutPrefix(text, "[")
	text, ends := strings.CutSuffix(text, "]")
	if !starts || !ends || strings.ContainsFunc(text, escaped) {
		return nil, false
	}
	for text != "" {
		var r replacedRow
		parts := []struct {
			before, after string
			text          *string
			number        *int64
		}{
			{`{"id":"`, `"`, &r.ID, nil},
			{`,"kid":"`, `"`, &r.KeyID, nil},
			{`,"iat":`, `,`, nil, &r.IssuedMs},
			{`"at":`, `}`, nil, &r.AtMs},
		}
		for _, p := range parts {
			rest, is := strings.CutPrefix(text, p.before)
			value, rest, found := strings.Cut(rest, p.after)
			if !is || !found {
				return nil, false
			}
			if p.text != nil {
				*p.text = value
			} else if n, err := strconv.ParseInt(value, 10, 64); err == nil && strconv.FormatInt(n, 10) == value {
				*p.number = n
			} else {
				return nil, false
			}
			text = rest
		}
		list = append(list, r.replaced())
		if text != "" {
			if text, ok = strings.CutPrefix(text, ","); !ok || text == "" {
				return nil, false
			}
		}
	}
	return list, true
}

// escaped reports whether a JSON string may escape a character.
func escaped(c rune) bool { return c < ' ' || c > '~' || c == '\\' }
