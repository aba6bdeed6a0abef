return { path: safety.fs.move(from, to) };
