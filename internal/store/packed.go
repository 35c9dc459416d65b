package store

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// packed is a row whose columns a query made one text of, with concat_ws and a
// space between them: what the driver of SQLite does for each column takes longer
// than what SQLite does to find the row. It is for queries that are asked all day.
// Only its last field may hold spaces.
type packed struct {
	rest string
	err  error // the first
}

// text returns the next field.
func (p *packed) text() string {
	field, rest, ok := strings.Cut(p.rest, " ")
	if !ok {
		p.fail(fmt.Errorf("a field is missing after %q", field))
	}
	p.rest = rest
	return field
}

// last returns all that is left.
func (p *packed) last() string { return p.rest }

// number returns the next field, a whole number.
func (p *packed) number() int64 {
	n, err := strconv.ParseInt(p.text(), 10, 64)
	p.fail(err)
	return n
}

// boolean returns the next field, which SQLite writes as 0 or 1 and PostgreSQL as
// f or t.
func (p *packed) boolean() bool {
	b, err := strconv.ParseBool(p.text())
	p.fail(err)
	return b
}

// noTime stands for NULL, which concat_ws leaves out: the query has to coalesce. A
// number would not do, because 1970, where a term may end, began at 0.
const noTime = "-"

// time returns the next field, milliseconds since 1970 or noTime.
func (p *packed) time() time.Time {
	field := p.text()
	if field == noTime {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(field, 10, 64)
	p.fail(err)
	return time.UnixMilli(ms).UTC()
}

func (p *packed) fail(err error) {
	if p.err == nil && err != nil {
		p.err = fmt.Errorf("store: packed row: %w", err)
	}
}
