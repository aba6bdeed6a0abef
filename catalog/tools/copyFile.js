return { path: safety.fs.copy(from, to) };
