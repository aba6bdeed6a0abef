return Array.from(safety.fs.grep(pattern, path, {
  caseInsensitive: caseInsensitive ?? false, numbered: numbered ?? false, limit: limit ?? 0,
}));
