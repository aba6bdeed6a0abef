// mtime is in milliseconds since 1970; the ISO form is added for readers.
const { size, mtime, directory } = safety.fs.stat(path);
return { size, mtime, modified: new Date(mtime).toISOString(), directory };
