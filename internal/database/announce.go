package database

// Announce tells this process, once the transaction of c has committed, that there is
// something new about a topic. Outside of a transaction it tells at once. What is undone
// is not announced.
func (c Conn) Announce(topic string) {
	if c.after == nil {
		c.db.announce(topic)
		return
	}
	*c.after = append(*c.after, topic)
}

// Announced returns the channel that gets a value after an announcement of a topic.
// Announcements that nobody has received yet are one. Each topic has one receiver.
func (db *DB) Announced(topic string) <-chan struct{} { return db.topic(topic) }

func (db *DB) topic(name string) chan struct{} {
	v, _ := db.topics.LoadOrStore(name, make(chan struct{}, 1))
	return v.(chan struct{})
}

func (db *DB) announce(topic string) {
	select {
	case db.topic(topic) <- struct{}{}:
	default: // the receiver has not taken the last one yet
	}
}

// announcing runs a transaction whose announcements are made after it has committed.
// begin runs the transaction: it calls the function that it is given for each attempt.
func (db *DB) announcing(fn func(Conn) error, begin func(func(Querier) error) error) error {
	var topics []string
	err := begin(func(tx Querier) error {
		topics = topics[:0] // of an attempt that was undone
		in := db.inside(tx)
		in.after = &topics
		return fn(in)
	})
	if err != nil {
		return err
	}
	for _, topic := range topics {
		db.announce(topic)
	}
	return nil
}
