return { deleted: safety.fs.delete(path) };
