package sizing

// reservedFiles are for everything that is not a connection: the record, the store,
// the listener, watched folders and the files of calls.
const reservedFiles = 128

// Connections bounds the TCP connections by the files that the process may open:
// each connection is one, and a call on it may open others. asked is what the
// operator or the default wants; files is the limit, 0 when it is not known.
func Connections(asked int, files uint64) int {
	if files == 0 {
		return asked
	}
	room := uint64(1)
	if files > reservedFiles+1 {
		room = (files - reservedFiles) / 2
	}
	return int(min(uint64(asked), max(room, 1)))
}
