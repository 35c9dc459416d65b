package license

// TakeChurn lets the tests count new instances without a database.
var TakeChurn = ChurnLimit.take //nolint:gochecknoglobals // for tests

// PeriodUntil lets the tests number periods without a database.
var PeriodUntil = (*License).periodUntil //nolint:gochecknoglobals // for tests

// KeyOf returns the key of the random numbers that next returns.
func KeyOf(next func() uint32) Key {
	var k Key
	for i := range keyData {
		k.symbols[i] = byte(next() & 31)
	}
	check := checksum(k.symbols[:keyData])
	copy(k.symbols[keyData:], check[:])
	return k
}
