const { path: written, replacements } = safety.fs.editText(path, oldString, newString, replaceAll ?? false);
return { path: written, replacements };
