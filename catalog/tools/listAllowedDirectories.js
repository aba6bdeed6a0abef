return { workspace: safety.fs.workspace(), readRoots: Array.from(safety.fs.readRoots()) };
