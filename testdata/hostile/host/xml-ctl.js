// What is escaped in JSON.
// ends: memory_limit
return safety.parser.xml("<a>"+"\"\\".repeat(6e6)+"</a>").text.length;
