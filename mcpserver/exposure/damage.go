package exposure

// Damage is a part of the registry that cannot be read.
type Damage struct {
	Kind string // upstream, exposure or composition
	Name string
	Err  error
}
