// Package node runs internal plugins (spec B, runtime type internal-fastify):
// each installation in a Node.js process of its own, inside which the host
// program (nodehost/) serves the plugin with a real Fastify on a unix socket.
//
// A process starts at the first call, or at Prepare, and ends when it was idle
// for a while, when the instance or its package changed, at Stop and at Close. It
// is started anew at the next call after a crash, with growing delays. It dies
// with stoa, even when stoa is killed.
//
// The process is a sandbox: an environment of two fixed variables, read access to
// its own package and nothing else, no writing, no child processes, a memory
// limit. The config reaches it over a pipe, never in arguments or environment.
//
// The package does not install packages (package install) and does not decide
// who may call (package gateway).
package node
