package product

// ParseCatalog reads a catalog with files beside it, and says what is wrong with it.
func ParseCatalog(data []byte) (*Document, error) {
	d := ReadCatalog(data, true)
	err := d.Err()
	return d, err
}
