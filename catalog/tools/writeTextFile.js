return { path: safety.fs.writeText(path, content), bytes: new TextEncoder().encode(content).length };
