// Package wire has the JSON forms that more than one room of the API uses: users, products, instances
// that use licenses, orders, reviews and public keys. Other JSON forms are declared in their room.
package wire
