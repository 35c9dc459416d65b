package store

import "database/sql"

// column reads rows of one text to their end and closes them.
func column(rows *sql.Rows) ([]string, error) {
	defer rows.Close()
	var texts []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
}
