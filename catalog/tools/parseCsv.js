return safety.parser.csv(text, { header: header ?? false, delimiter: delimiter ?? ',' });
