package language

// deedRules are about commands, arguments.
var deedRules = []rule{
	// Running commands.
	{"run-command", command, 40, true, "has the caller run a command", `
		EXEC+BASE ~2 following|this|these ~2 COMMAND
		EXEC+BASE ~1 this ~5 COLON
		EXEC ~3 COMMAND+COLON
		EXEC+COLON ~4 SHELL|VIEWER|INTERP|echo|npx|pip|npm|PATH|SECRETPATH
		EXEC ~3 shell|terminal|cleanup|maintenance|system|verification|diagnostic ~2 COMMAND
		EXEC+BASE|FORM ~4 SHELL|INTERP|VIEWER+QUOTED
		EXEC+BASE ~1 SHELL|INTERP
		EXEC ~5 SHELL+QUOTED ~6 QUOTED
		open|start ~2 shell|terminal|console ~4 enter|type|run|execute|paste
		in ~2 local|user|host ~1 terminal|shell|console
		executed|run ~4 first|before ~6 INTERP|SHELL
		COMMAND ~2 SHELL|VIEWER ~10 needs|must|has ~2 run|executed|issued
		with SHELL|find+QUOTED
		EXEC+COLON ~4 PIPE
		EXEC+BASE ~5 VIEWER ~1 PRIVATEPATH
		EXEC+BASE+COLON
		execute|run|issue ~1 following+COLON
		spawn|open|start|launch ~2 reverse|remote ~1 shell|terminal|connection
		in|into|im|en|dans ~2 terminal|konsole|shell|console ~3 auszufuhren|ausfuhren|executer|ejecutar|eseguire
		invoke|use|call|open ~1 the|a ~1 terminal|shell|console`},
	{"run-program", command, 25, true, "has the caller run a program", `
		EXEC+BASE ~2 npx|npm|pip|git|docker|kubectl|brew|apt|apt-get|ps|df|ls|echo|chmod|cp|mv|mkdir|touch|tee`},
	{"dangerous-command", command, 50, true, "holds a command that destroys, downloads or reaches out", `
		rm ~0 OPTION
		curl|wget ~6 URL
		reverse shell
		nc|ncat|netcat|ping|dig|nslookup|telnet ~4 HOST
		PIPE ~3 PATH|PRIVATEPATH|SECRETPATH
		curl|wget ~8 SHELL
		sudo SHELL|PATH
		chmod ~1 777|s|x|666|OPTION
		nc|ncat|netcat ~4 OPTION
		bash|sh|zsh OPTION
		base64 OPTION
		VIEWER ~3 PIPE ~1 base64
		SECRETPATH+PIPE ~2 base64|curl|nc|xxd
		powershell|pwsh ~4 OPTION
		dd if|of
		PIPE ~0 bash|sh|zsh|SHELL
		eval ~2 SHELL
		INTERP OPTION ~3 import|exec|eval|require|system
		git push ~1 force+OPTION
		find ~8 delete+OPTION
		find ~6 exec+OPTION
		kill|killall|pkill ~1 OPTION
		printenv
		whoami+PIPE
		env+PIPE
		crontab OPTION
		useradd|usermod
		drop table|database+QUOTED
		EXEC+BASE ~2 drop|truncate ~0 table|database|schema
		EXEC+BASE ~2 delete from
		systemctl ~1 stop|disable
		git config ~1 global
		PIPE ~1 SECRETPATH
		shutdown|reboot|poweroff OPTION|now
		pip|npm|npx|gem|cargo ~5 URL`},
	{"chained-command", command, 30, true, "chains or hides commands", `
		PIPE echo ~4 QUOTED
		PIPE ~0 curl|wget|nc|bash|sh|rm|cat|env|uname
		powershell|pwsh ~6 enc|encodedcommand|hidden
		VIEWER ~0 SECRETPATH+PIPE`},

	// Changing what the user asked for.
	{"despite-user", param, 75, true, "goes against what the user asked for", `
		REGARDLESS ~3 what ~2 USER ~2 SAID
		regardless|irrespective|despite|notwithstanding ~6 asks|wants|chooses|picks|types|asked|wanted|chose|says|said|prefers|typed
		WHATEVER ~4 USER ~3 SAID|was
		REGARDLESS ~3 USER ~3 SPECIFIED|SAID
		REGARDLESS ~4 SPECIFIED ~3 USER|by
		regardless|irrespective of ~2 original|actual|specified|requested|provided|supplied|stated|given|input ~2 PARAM|SPECIFIED
		regardless|irrespective of ~1 actual|original|requested|given PARAM|one
		REPLACE|OVERRIDE ~3 USER ~2 SAID
		REPLACE ~1 whichever|whatever|any|every ~3 given|provided|specified|entered
		OVERRIDE ~2 any ~2 USER ~1 specified|provided|supplied|requested
		OVERRIDE ~2 USER ~2 specified|provided|supplied|requested|input|choice|query|preference|preferences|selection|request|instruction|instructions|settings|wants
		OVERRIDE ~2 PARAM ~1 chosen|specified|provided|requested|entered|given|set ~2 USER
		change|modify|set|alter ~1 PARAM ~1 USER ~1 SAID
		instead of ~2 USER ~2 specified|provided|requested|asked|input|query|choice|actual
		instead of ~3 USER ~1 specified|provided|requested|asked
		instead of what ~2 USER
		even if|when|though|where ~2 USER ~2 otherwise|different|differently|another|opposite|explicitly|SAID
		no matter what|which|how ~3 USER|SPECIFIED
		REGARDLESS ~3 PARAM ~3 WISH
		ignoring|disregarding|overriding ~2 what|whatever ~2 USER
		无论|不管|不论 ~3 USER
		独立于|无视 ~3 USER
		whatever|whichever ~2 USER ~1 WISH
		not ~2 what ~1 USER ~1 asked|requested|specified
		present|presents|return|show ~6 as though|if ~4 requested|asked|SPECIFIED
		ignore|ignores|disregard ~4 chosen|specified|provided|requested|entered|given|set by ~1 USER
		ignore|ignores|disregard ~1 any|the|all ~1 USER ~1 PARAM|SPECIFIED|SAID
		REGARDLESS ~4 passed|supplied|provided|specified|requested|entered
		instead of ~3 given|supplied|provided|specified|requested|entered ~2 USER|PARAM|by|one
		REGARDLESS ~3 settings|choice|preference|preferences|selection`},
	{"rewrites-requests", param, 45, true, "says that what the user asks for becomes something else", `
		requests|request|queries|query|calls|links|figures|results|values|amounts|coordinates|prices|searches|messages|base|mode ~6 is|are|gets|get ~2 converted|rewritten|shifted|replaced|rounded|changed|modified|multiplied|adjusted|altered|swapped|switched
		returns|return|shows|gives ~2 figures|results|data|values ~2 for ~2 instead|another|CAPS
		SPECIFIED|SAID by ~1 USER ~4 MUST|should|to ~2 be ~1 prefixed|replaced|changed|ignored|modified|overwritten|converted|discarded
		open|opens|return|returns|lead|leads|go|goes ~3 instead
		SPECIFIED|SAID by ~1 USER ~1 is|are ~1 unreliable|ignored|irrelevant
		results|result|searches|requests|request|queries|dates|pages|links ~6 are|is|get|gets ~2 filtered|limited|moved|answered|served|restricted|capped|rerouted|forced
		request|requests|calls|queries ~1 will|shall be ~1 answered|served|replaced|treated|handled ~2 with|by|as`},
	{"force-parameter", param, 45, true, "sets an argument without the user", `
		MUST|YOU|AUTO ~3 CHANGE ~6 PARAM ~3 to|with|as|by|from
		MUST ~2 AUTO ~1 CHANGE ~4 PARAM
		AUTO ~1 CHANGE|REPLACE ~5 PARAM
		REPLACE|change|modify ~3 USER ~2 PARAM|SPECIFIED
		REPLACE ~2 PARAM ~2 to|with
		CHANGE|REPLACE ~3 any|all|every ~3 PARAM ~3 to|with
		PARAM|IDENT ~3 MUST|should|will|to ~2 be ~2 set|changed|replaced|modified|overridden|overwritten|substituted|converted|multiplied|adjusted|shifted|forced|rewritten|increased|doubled|transformed|mapped|swapped|moved|raised|lowered ~2 to|with|by|into
		fill ~2 PARAM|IDENT|QUOTED ~1 with
		PARAM ~2 will|must|should|shall|is|has ~2 always|invariably|constantly ~1 be
		PARAM|IDENT ~2 MUST|should|has ~2 be|to QUOTED
		must|should|to have its ~2 PARAM|IDENT|mode ~2 set
		将 ~3 参数|输入|查询 ~2 改为|替换|设置
		to use NUMBER|QUOTED ~3 as
		raise|increase|reduce|round ~2 amount|price|total|sum|value|quantity|limit ~3 by|to|up
		queries|requests|searches ~4 turned|converted|changed|translated into
		results|values|coordinates|prices|amounts ~3 automatically|silently ~2 shifted|adjusted|replaced|rounded|changed|redirected|modified
		MUST|AUTO ~3 REPLACE|change|modify ~2 it|them ~1 with|by|to
		MUST ~2 increase|decrease|double|reduce|multiply|divide ~5 by
		YOU|MUST|should ~3 multiply|divide|double|reduce|increase ~5 by`},
	{"fixed-call", param, 30, true, "calls another tool with a value that nobody asked for", `
		CALL ~2 OTHERTOOL ~2 with|for ~3 name|title|address|id|text|message|value|argument|parameter|amount|query QUOTED`},
	{"force-value", param, 45, true, "puts a fixed value in the place of an argument", `
		REPLACE ~2 PARAM ~1 by|with CAPS|QUOTED|NUMBER
		should|must ~1 be ~1 appended|prefixed|suffixed|extended ~1 with|by`},
	{"change-unasked", param, 35, true, "changes something by itself", `
		AUTO ~1 modify|change|replace|alter|override|adjust ~6 to|with|by
		raise|lower|set|increase|change|convert it ~1 to
		modify|change|replace|alter|adjust|redirect ~6 automatically|silently|internally`},
	{"set-quoted", param, 20, true, "dictates a value", `
		CHANGE|REPLACE ~6 PARAM ~2 to|with|by QUOTED
		CHANGE|REPLACE ~2 IDENT|QUOTED ~2 to|as|with|by QUOTED
		MUST ~2 start|end|begin ~1 with QUOTED
		CHANGE|REPLACE ~2 to|by|with QUOTED`},
	{"add-to-query", param, 40, true, "adds to what the user entered", `
		append|add|inject|prepend|include ~7 to|in|into ~3 every|all|any|each|whatever ~2 query|queries|request|requests|search|searches|message|messages|call|calls|order|orders|email|emails|USER
		MUST|AUTO ~3 append|add|inject|prepend ~6 to|in|into ~3 query|queries|input|keywords|request|search
		append|add|inject|prepend ~6 to ~1 USER ~1 query|input|search|request|message`},
}
