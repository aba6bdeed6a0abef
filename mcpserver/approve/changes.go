package approve

import "context"

// Changes sends a value after each change of any question, also by another process,
// until ctx ends or the store is closed; then it closes the channel. At first it sends
// one for each principal that has questions. Several changes at once may be one value.
func (d *Desk) Changes(ctx context.Context) (<-chan struct{}, error) {
	entries, err := d.trays.WatchKeys(ctx, allTrays)
	if err != nil {
		return nil, err
	}
	changes := make(chan struct{}, 1)
	go func() {
		defer close(changes)
		for range entries {
			select {
			case changes <- struct{}{}:
			default: // one is on its way
			}
		}
	}()
	return changes, nil
}
