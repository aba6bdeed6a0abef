return Array.from(safety.fs.list(dir ?? '.'));
