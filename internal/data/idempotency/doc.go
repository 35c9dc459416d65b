// Package idempotency lets a client repeat a request without repeating its effect
// (contract 1.8). The first request with a key runs the operation, and
// its answer is stored. A later request with the same key and content gets the stored
// answer, on any replica.
//
// Each key has a row in the database. An attempt claims the row before it runs the operation, with
// a lease that it renews meanwhile. If it crashes, a retry takes over as soon as the lease has
// ended. The row also has a seed that never changes, from which operations derive the ids of what
// they create. So a retry finds what the crashed attempt has created. Even if two attempts run at
// the same time, primary keys keep them from creating anything twice; that does not depend on
// clocks.
//
// The package knows neither HTTP nor the operations: an answer is a status, headers and bytes, and
// httpapi decides which answers are final.
package idempotency
