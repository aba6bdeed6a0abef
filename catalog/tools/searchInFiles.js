return Array.from(safety.fs.searchInFiles(dir ?? '.', glob ?? '*', pattern, {
  caseInsensitive: caseInsensitive ?? false, maxDepth: maxDepth ?? 0, limit: limit ?? 0,
}));
