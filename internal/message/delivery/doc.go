// Package delivery is the outbox: it delivers messages at least once. Lifecycle hooks and events
// for plugins, and the webhooks of operators, are rows of one table, written in the transaction of
// the change, and one Machine delivers them.
//
// Every delivery is in a queue, that of an installation or of a webhook. A lease in the database
// gives each queue to one worker of one process at a time, so several processes share the work and
// none of it is lost when one dies. A message that was sent but not acknowledged when a process
// died is sent again under the same id.
//
// The package does not know what is delivered or how: a Sender does (packages hook and webhook).
package delivery
