// Package measure is what the benchmarks share: a cheap load generator, servers
// that are started and stopped, schemas on PostgreSQL, and a table of ratios. See bench/README.md.
package measure
