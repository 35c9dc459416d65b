// Package plan says to which tiers the plan of a license can be changed, what that costs and when it begins
// (contract 3.22). It computes only: package order makes the orders, package license has the terms.
package plan
