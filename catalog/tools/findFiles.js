return Array.from(safety.fs.find(dir ?? '.', glob ?? '*', { maxDepth: maxDepth ?? 0, type: type ?? null }));
