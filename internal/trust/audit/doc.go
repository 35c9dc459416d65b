// Package audit owns the audit log: who did what to what, when and from where.
// The log is append-only. Nothing here changes or removes an entry, and the
// database refuses to.
//
// A domain's Service records an operation with Record of its own Store, inside the
// transaction that makes the change. Package store gives every domain's Store the same
// Record, bound to the same transaction. So no change lacks its entry, and no entry
// describes a change that was rolled back. Operations that change nothing leave no
// entry.
//
// The actor travels in the context: the caller of the request (package reqctx), or the
// actor that As sets for a command. This package sits below the domains and knows none
// of them.
package audit
