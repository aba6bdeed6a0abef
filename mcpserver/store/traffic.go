package store

// Traffic is what went over the connection of a store since it was opened, reads, writes and
// what it was told of together.
type Traffic struct {
	MessagesIn, MessagesOut, BytesIn, BytesOut uint64
}

// Traffic returns what went over the connection so far.
func (s *Store) Traffic() Traffic {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.traffic()
}

// traffic is Traffic under mu.
func (s *Store) traffic() Traffic {
	all := s.before
	if s.conn != nil {
		now := s.conn.Stats()
		all.MessagesIn += now.InMsgs
		all.MessagesOut += now.OutMsgs
		all.BytesIn += now.InBytes
		all.BytesOut += now.OutBytes
	}
	return all
}
