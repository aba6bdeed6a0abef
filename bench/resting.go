package main

import (
	"fmt"
	"time"
)

// measureResting reads what instances keep that no call has needed for a while: the
// process had before bytes without them. The engine lets instances rest that were not
// needed for 5 s, and looks every 5 s.
func measureResting(r *report, before int64, instances int) error {
	time.Sleep(12 * time.Second)
	after, err := privateMemory()
	if err != nil {
		return err
	}
	each := float64(after-before) / float64(instances) / 1024
	r.Sections = append(r.Sections, section{
		Title: "Private memory of an instance that rests", Columns: []string{"instances", "KiB each"},
		Rows: [][]string{{fmt.Sprint(instances), fmt.Sprintf("%.0f", each)}}, Note: "12 s after their last call",
	})
	r.bar("private memory of an instance that rests", each, 128, " KiB")
	return nil
}
