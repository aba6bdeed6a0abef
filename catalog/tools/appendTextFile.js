return { path: safety.fs.appendText(path, content), bytes: new TextEncoder().encode(content).length };
