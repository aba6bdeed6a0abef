package process

func memoryMeasure() Measure {
	return Measure{Name: Memory, How: "RLIMIT_DATA for each process; all together counted twice a second"}
}

func treeMeasure(name string) Measure {
	return Measure{Name: name, How: "counted twice a second"}
}
