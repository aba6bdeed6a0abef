package wasm

// FuncNames are the function names of the name section by function index.
func FuncNames(m *Module) map[uint32]string {
	names := map[uint32]string{}
	for _, c := range m.Customs {
		if c.Name != "name" {
			continue
		}
		r := reader{data: c.Data}
		for r.err == nil && r.pos < len(r.data) {
			id := r.byte()
			sub := r.section(r.u32())
			if id != 1 { // 1 is function names; the others name modules and locals
				continue
			}
			for range sub.count(2) {
				index, name := sub.u32(), sub.name()
				if sub.err != nil {
					break
				}
				names[index] = name
			}
		}
	}
	return names
}
