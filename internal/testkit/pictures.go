package testkit

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"image/png"
)

// SVG is a picture.
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>`

// PNG and JPEG return a picture of that size.
func PNG(width, height int) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		panic(err) // writing to a buffer never fails
	}
	return b.String()
}

// JPEG is documented with PNG.
func JPEG(width, height int) string {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		panic(err) // writing to a buffer never fails
	}
	return b.String()
}

// WebP returns the header of a picture of that size.
func WebP(width, height int) string {
	b, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		panic(err)
	}
	size := uint32(width-1) | uint32(height-1)<<14 | uint32(b[24])>>4<<28
	b[21], b[22], b[23], b[24] = byte(size), byte(size>>8), byte(size>>16), byte(size>>24)
	return string(b)
}
