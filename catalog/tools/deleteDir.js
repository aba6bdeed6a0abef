return { removed: safety.fs.deleteDir(path) };
