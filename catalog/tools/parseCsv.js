if (text === '') return []; // nothing in, nothing out: a model need not test first
return safety.parser.csv(text, { header: header ?? false, delimiter: delimiter ?? ',' });
