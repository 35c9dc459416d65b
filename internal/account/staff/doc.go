// Package staff decides who of the staff may do what: roles, who may give them to whom, and who is above whom
// (contract 2.29).
package staff
