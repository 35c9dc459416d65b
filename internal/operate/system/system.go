// Package system describes this process and its dependencies to administrators: the program, the
// database, mail, Redis, Node.js, the signing keys, and whether all of them work. It exposes no
// secrets: keys have ids, addresses have no passwords.
package system

import (
	"context"
	"time"

	"stoa/internal/trust/keyring"
)

// Facts do not change while the process runs.
type Facts struct {
	Version            string
	Commit, CommitDate string // empty if unknown
	StartedAt          time.Time
	Host               string // of this process; replicas on other machines have others
	PlatformID         string // of the installation

	PublicURL string
	// OpsAddress is where metrics and profiles are served; empty if they are not.
	OpsAddress string
	// MasterKey is where the master key comes from: "environment" or "file".
	MasterKey string

	DatabaseEngine string // "sqlite" or "postgres"
	TestPayments   bool
	// PaymentProvider takes live payments; empty if none does.
	PaymentProvider string
	// MailVia is how mail leaves: "smtp", "log" (it is written to the log), or "none".
	MailVia  string
	MailFrom string // the sender's address; empty without SMTP
	Redis    bool   // limits are shared through Redis
	DataDir  string
	// Storage is the address of the object storage with the files, of which DataDir is a cache; empty
	// if they are in DataDir only.
	Storage string
}

// Failure is something that went wrong.
type Failure struct {
	At      time.Time
	Message string
}

// Node is the runtime of internal plugins.
type Node struct {
	Version   string // of Node.js
	Isolation string // the level that this machine reaches
	Missing   string // why the isolation is not full; may be empty
}

// Names of health parts that other packages look up.
const (
	PartDatabase = "database"
	PartStorage  = "storage"
	PartWriting  = "writing"
	PartPayments = "payments"
	PartMail     = "mail"
	PartRedis    = "redis"
	PartPlugins  = "plugins"
)

// Service describes this process. All fields are required. It is safe for concurrent use.
type Service struct {
	Facts   Facts
	Monitor *Monitor
	// DatabaseVersion asks the database for its version.
	DatabaseVersion func(ctx context.Context) (string, error)
	// MailFailure returns the last failure of mail. It is zero if there was none.
	MailFailure func() Failure
	// Node returns the runtime of internal plugins, or why there is none.
	Node func() (Node, error)
	// Rings are those of the keys that sign.
	Rings []*keyring.Ring
}

// Ring returns the keys of a purpose, or nil if there is no such purpose.
func (s *Service) Ring(purpose string) *keyring.Ring {
	for _, r := range s.Rings {
		if r.Purpose.Name == purpose {
			return r
		}
	}
	return nil
}
