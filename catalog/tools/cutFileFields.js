return Array.from(safety.fs.cut(path, { fields: Array.from(fields), delimiter: delimiter ?? '\t', regex: regex ?? false }));
