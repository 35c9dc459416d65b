package license

// The first releases of stoa sold keys with another checksum: a Reed-Solomon code over the
// random characters. Those keys are as good as any: firstChecksum lets them pass.

// firstGenerator is the product of (x - a^i), i from 1 to 5, where a generates GF(32),
// without its leading 1. firstOffset is added, so that a key of nothing but zeros is wrong.
var (
	firstGenerator = [keyCheck]byte{27, 15, 23, 25, 31}
	firstOffset    = [keyCheck]byte{23, 6, 14, 29, 17}
)

// firstChecksum returns the remainder of the data divided by the generator.
func firstChecksum(data []byte) [keyCheck]byte {
	var rem [keyCheck]byte
	for _, d := range data {
		factor := d ^ rem[0]
		copy(rem[:], rem[1:])
		rem[keyCheck-1] = 0
		for i, g := range firstGenerator {
			rem[i] ^= multiply(factor, g)
		}
	}
	for i := range rem {
		rem[i] ^= firstOffset[i]
	}
	return rem
}

// multiply is the product in GF(32) with x^5 + x^2 + 1.
func multiply(a, b byte) byte {
	var p byte
	for ; b > 0; b >>= 1 {
		if b&1 == 1 {
			p ^= a
		}
		if a <<= 1; a&32 != 0 {
			a ^= 0b100101
		}
	}
	return p
}
