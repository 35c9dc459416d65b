package web

import (
	"strconv"
	"time"
)

// Timestamp is a time as the API writes it: RFC 3339, UTC, milliseconds. A zero
// time marshals as null; fields that may be absent use omitzero.
type Timestamp time.Time

// IsZero makes omitzero work.
func (t Timestamp) IsZero() bool { return time.Time(t).IsZero() }

// MarshalJSON implements json.Marshaler.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	return t.Append(make([]byte, 0, len(`"2006-01-02T15:04:05.000Z"`))), nil
}

// Append appends the JSON of t to b.
func (t Timestamp) Append(b []byte) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	// Package time has a fast path for this layout and none for milliseconds.
	b = time.Time(t).UTC().AppendFormat(append(b, '"'), time.RFC3339)
	ms := int64(time.Time(t).Nanosecond()) / int64(time.Millisecond)
	b = strconv.AppendInt(b[:len(b)-1], 1000+ms, 10) // four digits in the place of Z;
	b[len(b)-4] = '.'                                // the point replaces the first
	return append(b, 'Z', '"')
}
