// Lines start to end as Python slices them: from 0, the end left out, negative numbers from the end.
return Array.from(safety.fs.slice(path, start ?? null, end ?? null));
