package license

// TakeChurn lets tests count new instances without a database.
var TakeChurn = ChurnLimit.take //nolint:gochecknoglobals // for tests

// PeriodUntil lets tests number periods without a database.
var PeriodUntil = (*License).periodUntil //nolint:gochecknoglobals // for tests

// KeyOf returns the key made from the random numbers of next.
func KeyOf(next func() uint32) Key {
	var k Key
	for i := range keyData {
		k.symbols[i] = byte(next() & 31)
	}
	check := checksum(k.symbols[:keyData])
	copy(k.symbols[keyData:], check[:])
	return k
}
