// Package tools pins what the tests of api/openapi.yaml need of others: a generator of
// Go clients with the library that its clients import, here, and linters and generators
// of TypeScript in package.json. It is a module of its own, so that stoa depends on none
// of it.
package tools

import _ "github.com/oapi-codegen/runtime" // generated clients import it
