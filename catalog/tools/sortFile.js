return Array.from(safety.fs.sort(path, {
  reverse: reverse ?? false, numeric: numeric ?? false, caseInsensitive: caseInsensitive ?? false, unique: unique ?? false,
}));
