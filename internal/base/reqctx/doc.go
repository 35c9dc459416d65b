// Package reqctx carries what belongs to one request through its context: the
// authenticated caller, the request id, and the address that the request comes from.
//
// It lies below every domain, so that HTTP, gateway and domain code share these values
// without importing one another.
package reqctx
