package database

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Packed reads a row that arrives as a single text: the query joins its columns with concat_ws and
// a space. SQLite's driver takes longer to return each column than SQLite takes to find the row, so
// the busiest queries return one. Only the last field may contain spaces.
//
// Read the fields in the order of the columns, then check Err.
type Packed struct {
	rest string
	err  error // the first
}

// Unpack returns the reader of a packed row.
func Unpack(row string) Packed { return Packed{rest: row} }

// Err returns the first error of reading the fields.
func (p *Packed) Err() error { return p.err }

// Text returns the next field.
func (p *Packed) Text() string {
	field, rest, ok := strings.Cut(p.rest, " ")
	if !ok {
		p.fail(fmt.Errorf("a field is missing after %q", field))
	}
	p.rest = rest
	return field
}

// Last returns the rest of the row, which is its last field.
func (p *Packed) Last() string { return p.rest }

// Number returns the next field, an integer.
func (p *Packed) Number() int64 {
	n, err := strconv.ParseInt(p.Text(), 10, 64)
	p.fail(err)
	return n
}

// Bool returns the next field, which SQLite writes as 0 or 1 and PostgreSQL as
// f or t.
func (p *Packed) Bool() bool {
	b, err := strconv.ParseBool(p.Text())
	p.fail(err)
	return b
}

// NoTime stands for a time that is NULL, because concat_ws leaves NULL out. It is not a number,
// because 0 is a time too, the start of 1970.
const NoTime = "-"

// Time returns the next field, in milliseconds since 1970, or the zero time for
// NoTime.
func (p *Packed) Time() time.Time {
	field := p.Text()
	if field == NoTime {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(field, 10, 64)
	p.fail(err)
	return time.UnixMilli(ms).UTC()
}

func (p *Packed) fail(err error) {
	if p.err == nil && err != nil {
		p.err = fmt.Errorf("database: packed row: %w", err)
	}
}
