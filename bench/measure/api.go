package measure

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
)

// Send sends a request and returns the body of its answer. Answers other than 2xx are
// errors. It is for setting up, and for load that need not be cheap.
func Send(ctx context.Context, client *http.Client, method, url, token, media string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/html, application/json") // as a browser, which gets pages
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode > 299 {
		err = fmt.Errorf("%s: %d %s", r.URL.Path, res.StatusCode, answer)
	}
	return answer, err
}

// Pack returns a ZIP archive of files, by their names.
func Pack(files map[string]string) ([]byte, error) {
	var archive bytes.Buffer
	zw := zip.NewWriter(&archive)
	for name, text := range files {
		w, err := zw.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(w, text); err != nil {
			return nil, err
		}
	}
	err := zw.Close()
	return archive.Bytes(), err
}
