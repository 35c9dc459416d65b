// Package wire has the JSON forms of what more than one room of the API shows:
// users, products, licenses' instances, orders and reviews. What only one room
// shows is declared there.
package wire
