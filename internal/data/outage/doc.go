// Package outage recognizes failures of what stoa stands on: a disk without room, a database that is
// away, read-only or out of connections, a process without a free file descriptor. All of them pass
// without a change to stoa, so clients are told to come back instead of that stoa is broken. Every
// cause is recognized here and nowhere else (contract 1.4).
//
// What goes wrong with the object storage is not an outage of this kind: see package blob.
package outage
