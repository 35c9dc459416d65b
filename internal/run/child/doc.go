// Package child runs Node.js programs, each in a contained and watched process of
// its own: the processes of internal plugins (package node) and of theme apps
// (package themeapp).
//
// A Launcher finds Node.js and how well this machine can contain it. Start forks a
// program that a Spec describes: what it runs, what it may read and connect to, how
// much memory it gets. The program listens on the socket that it finds as
// descriptor 3, reports on descriptor 4 that it is ready, and goes on writing to that
// descriptor at intervals as a sign of life. What it prints becomes records of a log,
// bounded in size and without secrets; a Journal keeps the last of them.
//
// Ready waits for the report, Watch kills a process that blocks its event loop or
// takes too much memory, and Exited is closed when the process is gone: Err then says
// why it ended. No child outlives stoa, even if stoa is killed.
//
// The process is a sandbox (package sandbox): two fixed environment variables, read
// access to the paths in its Spec and nothing else, no writing, no child processes, a
// memory limit, no network but what the Spec allows (package egress). Node's own
// permission flags are a second line.
//
// The package does not know what a program does or who calls it. It restarts nothing,
// and it delays no start: its callers decide that.
package child
