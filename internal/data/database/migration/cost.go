package migration

import "time"

// The engines, as database.DB.Engine names them.
const (
	sqlite   = "sqlite"
	postgres = "postgres"
)

// Lock is what a statement locks until its migration commits.
type Lock struct {
	Name  string // as the engine calls it; empty for none
	Table string // empty for the whole database
	Waits string // what waits meanwhile
}

// Lock returns what a statement locks. Locks on tables that the same migration creates block
// nothing.
func (s Statement) Lock(engine string, created map[string]bool) Lock {
	if engine == sqlite {
		return Lock{Name: "write lock", Waits: "all writes; reads go on"}
	}
	table := s.Table
	if created[table] || s.Kind == CreateTable {
		table = s.From
		if table == "" || created[table] || s.Kind != CreateTable {
			return Lock{}
		}
		return Lock{Name: "SHARE ROW EXCLUSIVE", Table: table, Waits: "writes of " + table}
	}
	switch s.Kind {
	case CreateIndex:
		return Lock{Name: "SHARE", Table: table, Waits: "writes of " + table}
	case CreateTrigger:
		return Lock{Name: "SHARE ROW EXCLUSIVE", Table: table, Waits: "writes of " + table}
	case Insert, Update, Delete:
		return Lock{Name: "ROW EXCLUSIVE", Table: table, Waits: "writes of the same rows"}
	case CreateOther:
		return Lock{}
	case AddColumn, ChangeColumn, Constrain, Release, Rename, DropTable, DropColumn, DropIndex, DropTrigger:
		return Lock{Name: "ACCESS EXCLUSIVE", Table: table, Waits: "reads and writes of " + table}
	case CreateTable, Other:
	}
	return Lock{Name: "unknown", Table: table, Waits: "unknown"}
}

// perStatement is what a statement takes without any rows.
const perStatement = 2 * time.Millisecond

// perRow are the costs of a row, measured with BenchmarkStatements on a table like orders, and
// doubled: production has more columns, other load and colder disks.
var perRow = map[string]map[Kind]time.Duration{
	sqlite: {
		CreateIndex: 3 * time.Microsecond, Insert: 50 * time.Microsecond, Update: 4 * time.Microsecond,
		Delete: time.Microsecond, DropColumn: 2 * time.Microsecond, DropTable: time.Microsecond,
	},
	postgres: {
		CreateIndex: 2 * time.Microsecond, ChangeColumn: 20 * time.Microsecond, Constrain: time.Microsecond,
		Insert: 45 * time.Microsecond, Update: 60 * time.Microsecond, Delete: 5 * time.Microsecond,
	},
}

// Estimate returns how long a statement takes if the table that it scans has that many rows.
func (s Statement) Estimate(engine string, rows int64) time.Duration {
	return perStatement + time.Duration(rows)*perRow[engine][s.Kind]
}

// Reads returns the table whose rows a statement scans.
func (s Statement) Reads() string {
	if s.Kind == Insert {
		return s.From
	}
	return s.Table
}
