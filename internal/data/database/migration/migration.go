// Package migration reads the SQL files that change the schema, without a database: which
// statements they have, what each locks, whether the previous release of stoa keeps working while
// it applies, and how long it takes on a table of a given size.
//
// Package database applies migrations; package store has the files.
package migration

import (
	"regexp"
	"strings"
)

// Kind is what a statement does.
type Kind string

// The kinds.
const (
	CreateTable   Kind = "create table"
	CreateIndex   Kind = "create index"
	CreateTrigger Kind = "create trigger"
	CreateOther   Kind = "create" // a function: nothing waits for it
	AddColumn     Kind = "add column"
	ChangeColumn  Kind = "change column" // its type or collation: the table is rewritten
	Constrain     Kind = "add constraint"
	Release       Kind = "drop constraint"
	Rename        Kind = "rename"
	DropTable     Kind = "drop table"
	DropColumn    Kind = "drop column"
	DropIndex     Kind = "drop index"
	DropTrigger   Kind = "drop trigger"
	Insert        Kind = "insert"
	Update        Kind = "update"
	Delete        Kind = "delete"
	Other         Kind = "other"
)

// Statement is one statement of a migration.
type Statement struct {
	Kind  Kind
	Table string // that it changes; empty if none
	From  string // of an Insert that reads another table, or of a reference to one
	Text  string // on one line, without comments

	required bool // AddColumn: NOT NULL without a default
	unique   bool // CreateIndex
}

var (
	comment = regexp.MustCompile(`--[^\n]*`)
	blank   = regexp.MustCompile(`\s+`)
	from    = regexp.MustCompile(`(?i)\bFROM ([a-z_]+)`)
	refers  = regexp.MustCompile(`(?i)\bREFERENCES ([a-z_]+)`)
	// A shape without a group names no table.
	shapes = []struct {
		kind Kind
		re   *regexp.Regexp
	}{
		{CreateTable, regexp.MustCompile(`(?i)^CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)`)},
		{CreateIndex, regexp.MustCompile(`(?i)^CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?[a-z_]+ ON ([a-z_]+)`)},
		{CreateTrigger, regexp.MustCompile(`(?i)^CREATE (?:CONSTRAINT )?TRIGGER .*? ON ([a-z_]+)`)},
		{AddColumn, regexp.MustCompile(`(?i)^ALTER TABLE ([a-z_]+) ADD COLUMN`)},
		{ChangeColumn, regexp.MustCompile(`(?i)^ALTER TABLE ([a-z_]+) ALTER COLUMN [a-z_]+ TYPE`)},
		{Constrain, regexp.MustCompile(`(?i)^ALTER TABLE ([a-z_]+) (?:ADD (?:CONSTRAINT|CHECK)|` +
			`ALTER COLUMN [a-z_]+ SET NOT NULL)`)},
		{Release, regexp.MustCompile(`(?i)^ALTER TABLE ([a-z_]+) (?:DROP CONSTRAINT|` +
			`ALTER COLUMN [a-z_]+ (?:DROP NOT NULL|SET DEFAULT))`)},
		{Rename, regexp.MustCompile(`(?i)^ALTER TABLE ([a-z_]+) RENAME`)},
		{DropColumn, regexp.MustCompile(`(?i)^ALTER TABLE ([a-z_]+) DROP COLUMN`)},
		{DropTable, regexp.MustCompile(`(?i)^DROP TABLE (?:IF EXISTS )?([a-z_]+)`)},
		{DropIndex, regexp.MustCompile(`(?i)^DROP INDEX`)},
		{DropTrigger, regexp.MustCompile(`(?i)^DROP TRIGGER (?:IF EXISTS )?[a-z_]+(?: ON ([a-z_]+))?`)},
		{Insert, regexp.MustCompile(`(?i)^INSERT INTO ([a-z_]+)`)},
		{Update, regexp.MustCompile(`(?i)^UPDATE ([a-z_]+)`)},
		{Delete, regexp.MustCompile(`(?i)^DELETE FROM ([a-z_]+)`)},
		{CreateOther, regexp.MustCompile(`(?i)^CREATE (?:OR REPLACE )?(?:FUNCTION|VIEW|SEQUENCE)`)},
	}
	required = regexp.MustCompile(`(?i)\bNOT NULL\b`)
	fallback = regexp.MustCompile(`(?i)\bDEFAULT\b`)
	unique   = regexp.MustCompile(`(?i)^CREATE UNIQUE`)
)

// Parse returns the statements of a migration file, in their order.
func Parse(file string) []Statement {
	var all []Statement
	for _, text := range split(file) {
		s := Statement{Kind: Other, Text: text}
		for _, shape := range shapes {
			m := shape.re.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			s.Kind = shape.kind
			if len(m) > 1 {
				s.Table = strings.ToLower(m[1])
			}
			break
		}
		switch s.Kind {
		case Insert:
			s.From = first(from, text)
		case CreateTable, AddColumn:
			s.From = first(refers, text)
			s.required = s.Kind == AddColumn && required.MatchString(text) && !fallback.MatchString(text)
		case CreateIndex:
			s.unique = unique.MatchString(text)
		default:
		}
		all = append(all, s)
	}
	return all
}

func first(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

// split returns the statements of a file, each on one line.
func split(file string) []string {
	var (
		all    []string
		open   strings.Builder
		whole  bool // between StatementBegin and StatementEnd, semicolons end nothing
		finish = func() {
			text := strings.TrimSpace(blank.ReplaceAllString(comment.ReplaceAllString(open.String(), ""), " "))
			if text = strings.TrimSuffix(text, ";"); text != "" {
				all = append(all, text)
			}
			open.Reset()
		}
	)
	for line := range strings.Lines(file) {
		switch strings.TrimSpace(line) {
		case "-- +goose StatementBegin":
			whole = true
		case "-- +goose StatementEnd":
			whole = false
			finish()
		default:
			open.WriteString(line)
			if code := strings.TrimSpace(comment.ReplaceAllString(line, "")); !whole && strings.HasSuffix(code, ";") {
				finish()
			}
		}
	}
	finish()
	return all
}

// secondStep is how a migration declares that the previous release no longer uses what it removes.
var secondStep = regexp.MustCompile(`(?m)^-- second step of (\d{4}): \S.*$`)

// SecondStep returns the number of the migration whose second step a file is. Releases after that
// migration no longer use what the file removes.
func SecondStep(file string) (number string, ok bool) {
	m := secondStep.FindStringSubmatch(file)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// Breaks returns why replicas of the previous release would fail after a statement, or "". created
// are the tables that the same migration creates, which they do not use.
func (s Statement) Breaks(created map[string]bool) string {
	if created[s.Table] {
		return ""
	}
	switch s.Kind {
	case Rename:
		return "the previous release uses the old name"
	case DropTable, DropColumn:
		return "the previous release uses what it drops"
	case ChangeColumn:
		return "the previous release reads and writes the old type"
	case Constrain:
		return "the previous release may write rows that it refuses"
	case AddColumn:
		if s.required {
			return "the previous release inserts rows without the column: it needs a DEFAULT"
		}
	case CreateIndex:
		if s.unique {
			return "the previous release may write rows that it refuses"
		}
	case Other:
		return "its effect is unknown: add its kind to package migration"
	default:
	}
	return ""
}
