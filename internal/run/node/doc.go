// Package node runs internal plugins (contract 4.14):
// each installation in a Node.js process of its own, inside which the host
// program (nodehost/) serves the plugin with a real Fastify on a unix socket. With
// the package setting isolation: shared, one process serves all instances of the
// package, each with a Fastify of its own (sharedProcess).
//
// A process starts at the first call or at Prepare. It ends after it has been idle
// for a while, when the instance or its package changes, at Stop and at Close.
// After a crash the next call starts another, after delays that grow. No process
// outlives stoa, even if stoa is killed.
//
// The process is a sandbox: two fixed environment variables, read access to its
// own package and nothing else, no writing, no child processes, a memory limit.
// The config reaches it through a pipe, never in arguments or environment.
//
// The package does not install packages (package install) and does not decide
// who may call (package gateway).
package node
