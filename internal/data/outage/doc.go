// Package outage recognizes failures of what stoa depends on: a full disk, a database that is
// unreachable, read-only or out of connections, a process without a free file descriptor. None of them
// needs a change to stoa to pass, so clients get a 503 that says when to come back, in place of a 500.
// Every cause is recognized here and nowhere else (contract 1.4).
//
// What goes wrong with the object storage is not an outage of this kind: see package blob.
package outage
