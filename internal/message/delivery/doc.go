// Package delivery is the outbox: it passes on what happened, at least once, to those
// who are to know. Lifecycle hooks and events for plugins and the webhooks of operators
// are all rows of one table, written in the transaction of the change, and one Machine
// delivers them.
//
// Every delivery is in a queue: that of an installation, or that of a webhook. A queue
// belongs to one worker of one process at a time, by a lease that the database keeps, so
// several processes can share the work and none is missed when one dies. What was sent
// and not acknowledged when a process died is sent again under the same id.
//
// The package does not know what is delivered or how: a Sender does (packages hook and
// webhook).
package delivery
