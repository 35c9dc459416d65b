// Command stoa is the accounts, licence marketplace and plugin platform in one
// binary.
package main

func main() {}
