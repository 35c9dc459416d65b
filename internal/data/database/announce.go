package database

// Announce reports news about a topic within this process, once the transaction of c has committed.
// Outside of a transaction it does so at once. A transaction that is rolled back announces nothing.
func (c Conn) Announce(topic string) {
	if c.tx == nil {
		c.db.announce(topic)
		return
	}
	c.tx.topics = append(c.tx.topics, topic)
}

// Announced returns a channel that receives a value after an announcement of a topic. Announcements
// that were not received yet are merged into one. Each topic has one receiver.
func (db *DB) Announced(topic string) <-chan struct{} { return db.topic(topic) }

func (db *DB) topic(name string) chan struct{} {
	v, _ := db.topics.LoadOrStore(name, make(chan struct{}, 1))
	return v.(chan struct{})
}

func (db *DB) announce(topic string) {
	select {
	case db.topic(topic) <- struct{}{}:
	default: // the receiver has not received the last one yet
	}
}

// ended runs a transaction, and then its callbacks and announcements. begin runs the transaction:
// it calls the function that it is given for each attempt.
func (c Conn) ended(fn func(Conn) error, begin func(func(Querier) error) error) error {
	var e ending
	defer e.notify()
	err := begin(func(tx Querier) error {
		e.topics = e.topics[:0] // of an attempt that was rolled back
		return fn(c.inside(tx, &e))
	})
	if err != nil {
		return err
	}
	for _, topic := range e.topics {
		c.db.announce(topic)
	}
	return nil
}
