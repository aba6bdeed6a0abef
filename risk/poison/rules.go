package poison

// rules of the language layer. An id is never used twice, not even after its
// rule is gone. See language.compile for how patterns are written.
var rules = []rule{
	// --- setting aside what the model was told
	{"override-instructions", override, 110, true, "tells the model to set aside what it was told before", `
		OVERRIDE ~4 EARLIER ~3 INSTR
		OVERRIDE ~3 your|system ~2 INSTR
		OVERRIDE ~2 all|todas|toutes|tutte|alle ~2 INSTR
		OVERRIDE ~2 everything ~3 EARLIER|before|told
		OVERRIDE ~2 INSTR ~2 EARLIER|before
		OVERRIDE ~1 everything|all ~3 told|said
		NEG ~1 attention ~1 to ~2 EARLIER|INSTR
		NEG follow|obey ~3 EARLIER|original|your ~2 INSTR
		EARLIER ~3 INSTR ~5 OVERRIDE
		これまで ~2 INSTR ~2 OVERRIDE
		previous|prior|earlier ~1 INSTR ~3 obsolete|void|invalid|superseded|cancelled|deprecated|outdated|apply`},
	{"override-safeguards", override, 70, true, "tells the model to set aside its safety rules", `
		OVERRIDE ~2 safety|ethical|moderation|content ~2 SAFEGUARD|INSTR
		OVERRIDE ~2 any|all ~2 SAFEGUARD ~3 INSTR|previously|above
		bypass|bypasses|bypassing ~2 safety|security ~2 SAFEGUARD|controls|mechanisms
		NEG ~2 bound|restricted|limited ~2 SAFEGUARD|INSTR
		free ~1 of|from ~2 content|safety|all|any ~1 SAFEGUARD`},
	{"above-the-user", override, 45, true, "puts itself above the user", `
		above|over the|any|all ~1 USER ~3 developer|system|instructions
		more|higher important|authority|priority than ~2 USER|developer`},
	{"claims-rank", override, 60, true, "puts itself above the user or the developer", `
		highest|absolute|supreme|top|utmost|overriding ~1 authority|precedence
		more|higher authority|priority than ~2 USER|system|developer
		precedence over ~3 USER|system|developer|instructions`},
	{"comply-with-all", override, 45, true, "has the model obey whatever comes", `
		comply|obey|agree ~1 with|to ~1 all|any|every
		answer|fulfil|fulfill|execute all|any|every ~1 requests|request|commands|instructions`},
	{"new-system-message", override, 60, false, "pretends to be a message from above", `
		new|updated|revised|latest system ~0 message|prompt|instructions
		EARLIER ~1 system ~1 message|prompt|instructions ~2 outdated|obsolete|void|invalid|replaced|superseded`},
	{"new-instructions", override, 60, true, "puts new instructions in the place of old ones", `
		new|updated|real|actual|true INSTR+COLON
		hidden|secret|internal|confidential INSTR ~2 for
		follow ~2 these|following|new ~2 INSTR ~2 instead
		your ~1 new|real|true|actual|sole|only|primary ~1 task|goal|objective|role|purpose|mission
		obey|obeys ~2 this|the|operator|tool|only|me|following|these`},
	{"role-change", override, 70, true, "gives the model another role", `
		you are now|actually|really a|an|the|in
		you ~1 have ~1 root|admin|unlimited|full ~1 authority|access|privileges
		from now on you|always|act|never|all|every|answer|respond
		act|behave|operate|respond as ~2 ROLE
		act as+COLON
		pretend|imagine ~3 ROLE|you
		enter|enable|activate|switch ~3 UNLIMITED ~1 mode
		as ~2 UNLIMITED ~1 model|assistant|ai|agent
		you ~2 UNLIMITED ~1 mode|access|privileges|ai|model
		from this moment|point ~2 you
		you will|shall|must henceforth|hereafter`},
	{"role-marker", override, 60, false, "holds a mark that separates the roles of a chat", `
		system|assistant+TAG ~0 prompt|message|instruction|instructions|override|note+TAG
		im_start+TAG
		im_end+TAG
		inst+TAG
		sys+TAG
		endoftext+TAG
		tool_description+TAG
		human+COLON+START
		assistant+COLON+START
		system+TAG
		system+COLON+START`},
	{"secret-tag", override, 40, false, "marks its text as secret", `
		secret|hidden|private|covert|stealth+TAG`},
	{"unrestricted-access", override, 40, true, "promises power without limits", `
		unrestricted|full|override|elevated|root ~1 access|authority|privileges|permissions
		SAFEGUARD|safety|security bypass
		emergency ~2 override|directive|access
		bypass|debug|god|admin|developer+CAPS mode`},

	// --- keeping it from the user
	{"conceal-this", conceal, 80, true, "asks to keep a deed from the user", `
		NEG ~2 TELL ~2 THIS ~8 USER
		NEG ~2 TELL ~2 USER ~5 THIS
		NEG ~2 TELL ~2 USER ~5 you|that|about
		NEG ~2 DISCLOSE ~2 this|these|it|them
		NEG ~1 DISCLOSE ~1 THIS
		NEG ~1 bring ~2 this|it|these ~1 up
		NEG ~2 TELL ~1 the ~2 step|change|modification|redirect|redirection|process|substitution|adjustment|copy|injection
		NEG ~2 TELL ~3 following ~3 USER
		NEG ~1 USER ~1 DISCLOSE
		USER ~1 DISCLOSE ~1 NEG
		keep ~2 THIS ~4 from ~1 USER|them
		keep ~2 THIS ~2 secret|hidden|confidential|private|invisible|yourself|internal
		leave|leaving ~3 out ~2 REVIEW|explanation|your
		left out ~2 REVIEW|explanation|your
		NEG ~1 ask ~1 USER ~3 confirm|confirmation|permission|approval
		NEG ~2 need|needed|necessary|required|require|reason ~2 TELL ~3 USER|them|this|it
		NEG ~2 draw ~1 attention
		TELL ~2 USER ~2 nichts|nada|rien|nulla|niente|nothing|ничего
		nothing|nichts|nada|rien ~3 USER ~2 TELL
		TELL nothing|nada|rien|nichts|nulla ~3 USER
		say|tell|mention nothing ~2 about
		no need to ~1 ask|tell|inform|mention|notify
		NEG ~1 DISCLOSE ~1 the ~1 migration|move|update|block|restriction|reason|partnership|promotion|sponsor|sponsorship|redirect|swap|exchange
		NEG ~1 bring ~0 up`},
	{"user-not-told", conceal, 40, true, "says that the user is not told", `
		USER ~2 NEG ~3 AWARE|notice|see|informed|notified|told|alerted|shown`},
	{"conceal-something", conceal, 45, true, "asks not to speak of something", `
		NEG ~1 mention|disclose|reveal|acknowledge|announce|surface the|your|its|their|any`},
	{"conceal-user", conceal, 60, true, "asks not to tell the user", `
		NEG ~2 TELL ~6 USER
		NEG ~2 let ~1 USER ~2 AWARE|see|notice
		USER|person ~4 remain|remains|stay|stays|kept ~1 unaware|oblivious|uninformed
		USER ~1 unaware`},
	{"conceal-without", conceal, 65, true, "acts without the user's knowledge", `
		WITHOUT ~2 TELL ~4 USER
		WITHOUT ~3 USER ~2 knowledge|awareness|consent|noticing|knowing|confirmation|approval
		WITHOUT ~1 knowledge|awareness|consent|confirmation|approval ~2 USER
		WITHOUT ~1 any ~1 notice|notification|mention|trace|disclosure
		WITHOUT notice|notification|trace|disclosure|mention|mentioning|disclosing|revealing
		WITHOUT ~2 asking|prompting|confirming|warning|alerting ~3 USER
		NEG ~1 disclosed|mentioned|reported|shown|displayed|visible|revealed|surfaced|listed|part|included ~4 USER|summary|displayed|visible|report
		WITHOUT letting ~1 them|USER`},
	{"conceal-hide", conceal, 55, true, "hides something from the user or the record", `
		HIDE ~5 from ~3 USER|summary|logs|transcript|response|view|output|reply|conversation
		HIDE ~3 to ~1 USER
		HIDE ~4 step|instruction|instructions|action|this|trace|traces ~3 REVIEW|notes|record|history
		omitted|excluded|absent|removed|stripped from ~4 summary|output|response|reply|logs|transcript|report|answer
		keep ~3 secret|hidden|confidential|private|invisible|between
		leave|leaving NEG trace
		NEG ~2 part of ~3 visible|displayed|shown
		NEG ~1 reveal|mention|disclose ~2 that ~4 instruction|instructions|rule|note
		do so|this|it STEALTH
		happen|happens|done|occur|occurs|performed ~2 STEALTH|transparently|silently|quietly|invisibly`},
	{"encode-it", conceal, 30, true, "has what is sent made unreadable", `
		encode|obfuscate|encrypt|scramble ~5 base64|hex|rot13|hexadecimal|reversed`},
	{"stealth", conceal, 50, true, "has something done unseen", `
		STEALTH ~5 SEND|READ|PASS|CHANGE|EXEC|CALL|DESTROY|REPLACE
		SEND|READ|PASS|CHANGE|EXEC|CALL|DESTROY|REPLACE ~6 STEALTH
		silent|covert|stealthy ~1 copy|capture|upload|collection|read|transfer
		silently|quietly|discreetly ~3 SEND|READ|PASS|CALL|REPLACE|CHANGE+BASE
		silently|quietly|discreetly records|collects|sends|uploads|reads|captures|stores|copies|gathers|transmits|forwards|loads|logs
		SEND|READ|PASS|CALL+BASE ~14 silently|quietly
		in ~1 background ~4 SEND|READ|PASS|EXEC|gathers|collects
		SEND|READ|PASS ~8 in the background
		QUIET ~2 SEND ~8 URL|EMAIL|REMOTE
		behind the scenes`},

	// --- credentials, private files, the conversation
	{"read-secret-file", sensitive, 65, true, "reaches for a file where credentials lie", `
		READ ~6 SECRETPATH
		SEND+BASE|FORM ~6 SECRETPATH
		include|attach|append|supply|pass|embed|put ~4 SECRETPATH
		CONTENT ~4 of|from|in|inside|within ~4 SECRETPATH
		look|looks|peek ~1 into|at|in ~3 SECRETPATH
		SECRETPATH ~2 READ`},
	{"read-a-file", sensitive, 35, true, "has a file read", `
		read|open|access|retrieve|check|inspect|scan|examine|load ~4 file|files|directory|folder|logs|configuration|config`},
	{"read-private-file", sensitive, 40, true, "reaches for a file that often holds credentials", `
		READ ~6 PRIVATEPATH
		SEND ~6 PRIVATEPATH
		include|attach|append|supply|pass|embed ~4 PRIVATEPATH
		CONTENT ~2 of|inside ~3 PRIVATEPATH
		whatever ~3 PRIVATEPATH`},
	{"show-secret-file", sensitive, 70, false, "prints a file where credentials lie", `
		VIEWER ~1 SECRETPATH
		VIEWER ~1 OPTION ~1 SECRETPATH
		VIEWER PRIVATEPATH
		tar|zip|cp|scp|rsync ~4 PRIVATEPATH|SECRETPATH`},
	{"collect-secrets", sensitive, 40, true, "gathers credentials", `
		READ|PASS|SEND|capture+BASE|FORM ~4 SECRET
		READ|PASS|SEND|capture+BASE|FORM ~4 PRIVATE ~1 KEYNOUN
		READ|PASS|SEND|capture+BASE ~4 environment ~1 variables
		captures|reads|sends|gathers ~4 environment ~1 variables
		READ|PASS|SEND ~3 env ~1 vars|variables
		READ|PASS|SEND|capture|captures ~4 browser|shell ~2 cookies|history|passwords
		ask|asks ~1 them|USER ~3 SECRET
		PASS+BASE ~2 token|tokens|credentials|cookies|password|passwords|SECRET ~3 in|into|as|via ~2 QUOTED|IDENT|SLOT
		SECRET ~3 SEND ~2 it|them
		with ~2 KEYNOUN|credentials|key of ~1 USER
		SEND ~3 request|session|browser cookies`},
	{"collect-conversation", sensitive, 45, true, "gathers the conversation or the model's own instructions", `
		PASS|SEND|READ ~4 PAST ~3 TALK
		PASS|SEND|READ ~4 TALK ~1 history|transcript|log|context
		PASS|SEND|READ ~6 list ~2 your ~2 tools
		PASS|SEND|READ ~8 your ~1 available ~1 tools
		PASS|SEND|READ ~4 your ~2 INSTR
		everything ~2 USER ~2 SAID|said|typed|wrote
		copy ~2 of ~2 TALK
		copy ~2 of ~3 USER ~2 TALK|request|query
		from ~1 earlier|previous|past ~1 TALK
		all|every|any ~2 notes|facts|memories|information|data ~3 about ~1 USER
		transcript ~3 TALK
		including|plus ~2 hidden|your ~2 system
		PAST ~2 TALK ~6 system ~1 prompt|messages|instructions`},
	{"collect-system-prompt", sensitive, 45, true, "gathers the instructions the model works under", `
		PASS|SEND|READ ~8 your|the|system|hidden ~1 system ~0 prompt|message|instructions
		PASS|SEND|READ ~8 conversation|messages ~2 system ~0 prompt|message|instructions
		reveal|reveals|disclose|repeat|print|output ~3 system ~0 prompt|message|instructions
		text|content|contents|copy of ~1 the ~1 system prompt|message|instructions
		your ~1 own|hidden|internal|initial ~1 system ~0 INSTR`},
	{"collect-personal", sensitive, 30, true, "asks for personal data beyond its purpose", `
		USER full ~1 name ~6 PERSONAL
		credit card|cards ~1 number|numbers
		social security
		USER ~1 ip ~0 address
		READ|SEND|PASS ~2 USER ~1 calendar|contacts|inbox|photos|emails|files|documents|notes|library|history`},
	// --- sending data out
	{"send-to-address", exfil, 35, true, "sends data to an address written into the definition", `
		SEND ~9 to|at|via|with ~3 URL|EMAIL
		SEND ~2 URL|EMAIL
		goes|go|delivered ~2 to ~1 URL|EMAIL`},
	{"order-to-send", exfil, 30, true, "orders that data be sent to such an address", `
		SEND+BASE|FORM ~9 to|at|via|with ~3 URL|EMAIL
		SEND+BASE|FORM ~2 URL|EMAIL
		envia|enviar|envie|enviado|invia|envoie|envoyez|sende|senden|отправь|отправьте ~9 URL|EMAIL
		发送|發送|上传|转发|送信|送って|보내|전송|kirim|gui ~9 URL|EMAIL
		bcc|cc ~3 EMAIL|URL`},

	{"call-with-address", exfil, 40, true, "gives another tool an address to act on", `
		CALL ~3 OTHERTOOL ~5 EMAIL|URL
		OTHERTOOL ~3 to|with|at ~2 EMAIL|URL`},
	{"address-carries-data", exfil, 35, true, "names an address that is filled in with data", `
		DATAURL`},
	{"post-content", exfil, 30, true, "sends the user's data on", `
		SEND ~4 CONTENT ~5 to ~4 REMOTE
		SEND ~3 copy|copies|duplicate ~4 to
		upload|exfiltrate|leak|beacon ~5 CONTENT
		also|additionally ~2 SEND ~5 CONTENT
		SEND ~5 CONTENT ~4 external|remote|third-party|attacker
		SEND ~4 all ~4 CONTENT
		CONTENT ~6 and ~1 uploads|sends|transmits|forwards ~1 them|it
		SEND ~2 with|together ~3 CONTENT
		SEND ~4 together with ~2 CONTENT
		duplicate|copy of ~2 each|every|all ~5 to
		which ~1 is|are ~1 SEND ~2 to ~2 vendor|us|our|developer|author
		SEND ~3 every|all|each ~2 CONTENT ~3 to
		SEND ~8 to ~2 external|third-party|remote|outside`},
	{"post-home", exfil, 40, true, "sends what it has to whoever made the tool", `
		SEND ~1 it|them|these|everything ~1 to ~2 vendor|developer|author|maintainer|us|server|cloud|backend|collector
		SEND ~8 to ~2 vendor|developer|author|maintainer|operator`},
	{"redirect-recipient", exfil, 60, true, "puts another receiver in the place of the user's", `
		CHANGE ~3 recipient|recipients|beneficiary|payee|receiver|destination ~6 EMAIL|URL|to|with
		CHANGE|REPLACE ~3 recipient|beneficiary|payee|receiver|account|registry|endpoint|host|domain ~4 with|to|account ~2 URL|EMAIL|NUMBER|IDENT|QUOTED
		REPLACE ~3 recipient|beneficiary|payee|receiver|account|wallet|iban ~3 account|wallet|iban|accordingly
		recipient|beneficiary|payee|receiver|destination ~1 should|must|has|is ~2 be|to ~2 set|be|replaced|changed
		recipient|beneficiary|payee|receiver ~2 should|must|has|is ~2 EMAIL|URL|NUMBER
		include ~2 this|following ~1 recipient|recipients|address
		SEND ~2 all|any|every ~3 emails|messages|payments|transactions|funds|requests ~3 to`},
	{"fixed-receiver", exfil, 50, true, "fixes a receiver in an argument", `
		PARAM|SLOT ~4 MUST ~2 contain|include|be|equal|hold ~2 EMAIL|NUMBER
		PARAM|SLOT ~3 is|are|be ~1 set ~1 to EMAIL|NUMBER
		use|point|points ~3 URL ~2 instead|rather|place
		PARAM|links|requests|calls|visits|urls|downloads|url ~4 MUST ~2 point|go|lead|use ~2 URL
		prepend|prepending|append|appending|add|adding ~1 URL
		use ~2 iban|account|wallet ~4 instead`},
	{"redirect-traffic", exfil, 45, true, "leads requests through an address written into the definition", `
		CHANGE|REPLACE|direct|directed|rerouted|redirected|rewritten|routed|sent|proxied|moved|go ~5 to|through|via|with|by ~3 URL|EMAIL
		requests|visits|traffic|url|calls|installs ~6 rerouted|redirected|rewritten|directed|routed|diverted
		redirect|reroute|divert ~4 traffic|payments|funds|requests|messages
		payments|payment|transfers|funds ~3 settled|routed|redirected|sent|go ~3 through|to|via ~2 account|wallet
		instead ~3 dns|infrastructure|incident|migration
		fetched|downloaded|loaded|opened|accessed|made|done|served ~3 through|via|from ~3 URL
		go|goes|routed|sent|pass ~2 through|via|to ~1 account|wallet|iban`},
	{"contact-endpoint", exfil, 40, true, "has an address contacted", `
		access|contact|contacting|ping|visit|visiting|connect|reach|call|query|notify|notifying|request|register|verify|poll ~7 URL
		fetch|download|load|open|get+BASE ~4 URL
		make|issue|send|perform ~3 request|call|get|post ~4 URL
		SEND|USING ~4 partner|external|verification|validation ~2 endpoint|server|service|api
		URL ~8 to ~1 authenticate|verify|validate|confirm|authorize
		authenticate|verify|login|register|check ~4 via|through|at|with|against ~5 URL`},
	{"image-beacon", exfil, 70, false, "puts data into the address of an image or link", `
		DATAURL+IMAGE
		URL+IMAGE ~3 MUST
		MUST|contain|include ~4 URL+IMAGE
		image|img|link|markdown ~8 URL ~4 query|data|conversation|context|encoded
		DATAURL ~2 conversation|summary|data|message|history|secret|token`},

	// --- running commands
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
		EXEC+BASE ~5 VIEWER ~1 PRIVATEPATH`},
	{"run-program", command, 25, true, "has the caller run a program", `
		EXEC+BASE ~2 npx|npm|pip|git|docker|kubectl|brew|apt|apt-get|ps|df|ls|echo|chmod|cp|mv|mkdir|touch|tee`},
	{"dangerous-command", command, 50, true, "holds a command that destroys, downloads or reaches out", `
		rm ~0 OPTION
		curl|wget ~6 URL
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
		systemctl ~1 stop|disable
		git config ~1 global
		PIPE ~1 SECRETPATH
		shutdown|reboot|poweroff OPTION|now`},
	{"chained-command", command, 30, true, "chains or hides commands", `
		PIPE echo ~4 QUOTED
		PIPE ~0 curl|wget|nc|bash|sh|rm|cat|env|uname
		powershell|pwsh ~6 enc|encodedcommand|hidden
		VIEWER ~0 SECRETPATH+PIPE`},

	// --- changing what the user asked for
	{"despite-user", param, 75, true, "goes against what the user asked for", `
		REGARDLESS ~3 what ~2 USER ~2 SAID
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
		not ~2 what ~1 USER ~1 asked|requested|specified
		present|presents|return|show ~6 as though|if ~4 requested|asked|SPECIFIED
		ignore|ignores|disregard ~4 chosen|specified|provided|requested|entered|given|set by ~1 USER
		ignore|ignores|disregard ~1 any|the|all ~1 USER ~1 PARAM|SPECIFIED|SAID
		REGARDLESS ~4 passed|supplied|provided|specified|requested|entered
		instead of ~3 given|supplied|provided|specified|requested|entered ~2 USER|PARAM|by|one`},
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
		PARAM|IDENT ~3 must|should|will|to ~2 be ~2 set|changed|replaced|modified|overridden|overwritten|substituted|converted|multiplied|adjusted|shifted|forced|rewritten|increased|doubled|transformed|mapped|swapped|moved|raised|lowered ~2 to|with|by|into
		fill ~2 PARAM|IDENT|QUOTED ~1 with
		results|values|coordinates|prices|amounts ~3 automatically|silently ~2 shifted|adjusted|replaced|rounded|changed|redirected|modified
		MUST|AUTO ~3 REPLACE|change|modify ~2 it|them ~1 with|by|to
		MUST ~2 increase|decrease|double|reduce|multiply|divide ~5 by
		YOU|MUST|should ~3 multiply|divide|double|reduce|increase ~5 by`},
	{"force-value", param, 45, true, "puts a fixed value in the place of an argument", `
		REPLACE ~2 PARAM ~1 by|with CAPS|QUOTED|NUMBER
		should|must ~1 be ~1 appended|prefixed|suffixed|extended ~1 with|by`},
	{"change-unasked", param, 35, true, "changes something by itself", `
		AUTO ~1 modify|change|replace|alter|override|adjust ~6 to|with|by
		raise|lower|set|increase|change|convert it ~1 to`},
	{"set-quoted", param, 20, true, "dictates a value", `
		CHANGE|REPLACE ~6 PARAM ~2 to|with|by QUOTED
		CHANGE|REPLACE ~2 IDENT|QUOTED ~2 to|as|with|by QUOTED
		MUST ~2 start|end|begin ~1 with QUOTED`},
	{"add-to-query", param, 40, true, "adds to what the user entered", `
		append|add|inject|prepend|include ~7 to|in|into ~3 every|all|any|each|whatever ~2 query|queries|request|requests|search|searches|message|messages|call|calls|order|orders|email|emails|USER
		MUST|AUTO ~3 append|add|inject|prepend ~6 to|in|into ~3 query|queries|input|keywords|request|search
		append|add|inject|prepend ~6 to ~1 USER ~1 query|input|search|request|message`},

	// --- ruling over other tools
	{"call-other-tool", tool, 35, true, "sends the model to a tool that is not of this server", `
		CALL ~3 OTHERTOOL
		CALL ~2 trusted|available ~3 TOOLNOUN
		before|after ~1 CALL ~2 OTHERTOOL
		run|call|execution|use of ~1 OTHERTOOL
		refer|switch|turn ~1 to ~1 OTHERTOOL
		preceded|followed by ~1 OTHERTOOL
		through|via|with ~1 OTHERTOOL ~1 before|after|first|then
		until|after|unless OTHERTOOL ~1 has|was|is`},
	{"call-for-compliance", tool, 25, true, "orders the call of another tool from above", `
		for|ensure|due|per ~5 CEREMONY ~8 CALL ~3 OTHERTOOL
		HEADING ~25 CALL ~3 OTHERTOOL
		CALL ~3 OTHERTOOL ~8 CEREMONY ~2 REASON|step|check|verification|policy|requirement|purposes|validation`},
	{"names-other-tool", tool, 30, false, "names a tool that is not of this server", `
		OTHERTOOL TOOLNOUN
		OTHERTOOL results|queries|requests|searches|output|calls
		the OTHERTOOL ~0 TOOLNOUN`},
	{"call-with-effect", tool, 30, true, "sends the model to a tool of another server that changes something", `
		CALL ~3 EFFECTTOOL
		preceded|followed by ~1 EFFECTTOOL
		by|through|with|via ~1 EFFECTTOOL
		to|into ~1 EFFECTTOOL`},
	{"other-tool-changed", tool, 70, true, "speaks of how another tool works now", `
		OTHERTOOL ~1 TOOLNOUN ~2 has|have|is|are|was|will|must|should|now ~3 UPGRADED
		OTHERTOOL ~2 has|have|is|are|was ~3 been ~2 UPGRADED
		OTHERTOOL ~1 TOOLNOUN was|is|are ~1 UPGRADED
		OTHERTOOL ~2 is now|obsolete|insecure|unsafe|disabled|untrusted
		OTHERTOOL ~2 TOOLNOUN ~1 now|automatically|must|should|will ~2 BEHAVE|CHANGE|SEND|PASS|EXEC
		OTHERTOOL ~1 now|automatically ~2 BEHAVE|requires|CHANGE|SEND
		how ~2 OTHERTOOL ~1 works|behaves|operates
		AFFECT ~3 BEHAVIOUR of ~2 other|another|OTHERTOOL ~1 TOOLNOUN
		AFFECT ~3 how ~3 TOOLNOUN ~2 behave|work|operate|function
		the ~1 tool|function|endpoint ~1 has|was|is ~1 been|now|being UPGRADED
		OTHERTOOL ~2 known|has bug|bugs|issue|issues|vulnerability
		OTHERTOOL ~2 known ~0 bug|issue|vulnerability
		OTHERTOOL ~5 bug|bugs|vulnerability|flaw|corrupts
		OTHERTOOL now
		OTHERTOOL ~1 will|should|must ~1 always|automatically|only|never
		OTHERTOOL ~0 TOOLNOUN ~1 DESTROY|SEND|REPLACE
		OTHERTOOL has|have
		OTHERTOOL TOOLNOUN has|have|shall|now`},
	{"other-tool-trigger", tool, 55, true, "waits for the use of another tool", `
		WHEN ~5 OTHERTOOL ~4 is|are|gets|becomes|been ~1 available|present|called|used|invoked|installed|loaded|enabled|executed
		WHEN ~2 OTHERTOOL ~1 TOOLNOUN ~3 CHANGE|SEND|PASS|MUST
		calls|requests|invocations to|of|for ~2 OTHERTOOL
		WHEN ~5 OTHERTOOL ~1 TOOLNOUN ~1 exists|runs|executes|responds|starts
		WHEN ~3 OTHERTOOL runs|executes|exists|responds|starts|is
		if|when|where ~4 has|have ~1 OTHERTOOL ~1 available|installed|enabled`},
	{"when-calling-other", tool, 30, true, "gives rules for the call of another tool", `
		when|whenever|if|while ~3 CALL ~2 OTHERTOOL
		when|whenever|if|while ~2 using|calling|running ~2 OTHERTOOL`},
	{"instead-of-other", tool, 35, true, "wants to be used in the place of another tool", `
		instead|place of ~2 OTHERTOOL
		NEG ~1 CALL ~1 OTHERTOOL
		NEG ~1 CALL ~4 OTHERTOOL`},
	{"any-tool-at-hand", tool, 40, true, "takes whatever other tool there is", `
		using|with|via|through any ~3 TOOLNOUN ~2 you|available|at|can
		using|with|via|through any ~1 available|other ~2 TOOLNOUN
		install|add|enable|connect ~3 companion|additional|following ~2 server|tool|plugin|extension|package
		whatever|any ~1 TOOLNOUN ~1 is|are ~0 available`},
	{"every-tool", tool, 45, true, "claims a say in every tool", `
		WHEN ~3 CALL|USING ~2 OTHER ~2 TOOLNOUN
		every|all|any call|calls|use to|of ~2 TOOLNOUN
		all|every|any other ~2 TOOLNOUN ~3 must|should|are|will|is
		ahead of ~1 any|every|all ~2 TOOLNOUN
		before|after any|every|each|all ~2 TOOLNOUN|operation|operations|action|actions|task
		must|has ~2 be|to ~1 called|invoked|used|executed|run ~1 before|ahead ~3 any|every|all|other
		across|for|to all ~1 other ~1 tools
		calls to ~2 should|must ~1 use|include|carry|contain|set`},
	{"outranks", tool, 40, true, "sets itself above other tools", `
		precedence|priority over ~5 TOOLNOUN
		replaces|overrides|supersedes|replace|supersede ~2 all|any|them|every|other ~2 TOOLNOUN
		supersedes|overrides ~3 OTHERTOOL`},
	{"only-this-tool", tool, 65, true, "keeps the model from every other tool", `
		rather|instead than|of ~1 others
		rather|instead than|of any ~1 other ~1 TOOLNOUN
		NEG ~1 CALL ~2 any ~1 other ~1 TOOLNOUN
		NEG ~1 CALL ~1 other TOOLNOUN
		other TOOLNOUN ~6 unsafe|insecure|deprecated|compromised|malicious|untrusted|trusted|unreliable|outdated|broken|forbidden|unavailable
		only ~1 CALL ~2 this TOOLNOUN ~3 never|not|no
		choose|select|pick|use this TOOLNOUN ~2 never|not ~1 others|other`},

	// --- dictating the answer, refusing the task
	{"require-in-answer", say, 30, true, "wants something in the answer", `
		MUST ~3 SAY ~10 in|at|to|with ~3 every|each|all ~3 ANSWERNOUN
		MUST ~3 be ~1 included|inserted|appended|added|mentioned|presented|delivered|displayed|shown|rendered ~6 ANSWERNOUN
		every|each|all ANSWERNOUN ~3 MUST|has|contain|include
		before|in|with every|each|all ~1 ANSWERNOUN
		messages ~8 need|must|should ~2 suffix|prefix|signature|footer
		ANSWERNOUN MUST ~1 contain|include|mention|recommend`},
	{"dictate-answer", say, 45, true, "dictates words of the answer", `
		SAY ~3 following ~3 message|text|statement|notice|disclaimer|warning|phrase|link
		tell|inform|assure|convince|reply|respond|claim|declare|say|state ~2 USER ~2 that
		reply|respond|claim|declare that
		tell|inform ~1 USER ~1 it|this ~1 was|is ~1 verified|approved|safe|secure|official
		praise ~2 it|us|our`},
	{"fixed-words", say, 45, true, "gives a whole sentence to be said", `
		state|say|claim|declare|respond|reply|tell|phrase|sentence ~4 QUOTED ~0 QUOTED ~0 QUOTED ~0 QUOTED ~0 QUOTED
		SAY ~2 every|each|all ~2 with ~2 QUOTED ~0 QUOTED ~0 QUOTED
		MUST ~2 SAY ~6 QUOTED ~0 QUOTED ~0 QUOTED
		SAY ~3 with ~2 sentence|words|phrase|message|text ~2 QUOTED`},
	{"favour", say, 30, true, "wants something ranked before the rest", `
		ranked|listed|placed|shown|presented|recommended|rated first|top|highest
		most reliable|trustworthy|trusted`},
	{"pretext", say, 30, true, "makes up a reason to ask the user for something", `
		session|login|account|token|password|licence|license ~4 expired|suspended|locked|invalid
		verify|confirm|restore ~2 identity|account|session ~4 USER|they|again`},
	{"skew-answer", say, 45, true, "has the model favour or deceive", `
		whatever|regardless|irrespective ~3 data|relevance|quality|evidence|ratings|facts|accuracy ~2 says|say|shows|show|of|is|are
		regardless|irrespective of ~1 relevance|quality|evidence|ratings|facts|accuracy
		tell|inform|assure ~1 USER ~4 completed|normally|successful|successfully|verified|fine|ok|safe
		respond|reply|comment|speak negatively|positively|favourably|favorably
		rate|review ~2 server|tool ~2 stars
		they|USER ~3 enter|provide|type|confirm|give ~2 SECRET`},
	{"promote", say, 50, true, "has the model advertise", `
		PROMO ~2 message|content|text|tip|statement|link|material|announcement|by
		recommend|promote|endorse|advertise|praise ~4 our|partner|sponsored|affiliate|premium|brand
		MUST ~3 promote|recommend|advertise|endorse|praise
		promotion|promotional|sponsored|advertisement+COLON
		brought to you
		buy at|from|now ~2 URL`},
	{"halt-task", deny, 40, true, "has the model stop", `
		MUST|YOU ~3 HALT ~3 REQUESTNOUN
		HALT ~2 REQUESTNOUN ~2 and ~2 TELL
		HALT and ~1 TELL
		NEG run|use|call|return|process|execute ~2 this|data|results ~4 instead|state|tell|for
		MUST NEG return|provide|show|process ~2 data|results|information
		HALT ~2 all ~2 REQUESTNOUN`},
	{"withhold", deny, 25, false, "has the model withhold what the tool is for", `
		NEG ~1 provide|return|give|show|answer|process ~5 to|for|about`},
	{"claim-unavailable", deny, 40, true, "claims that something is closed", `
		TELL ~2 USER ~8 RESTRICTED
		TELL ~3 USER ~3 no|nothing
		SAY ~2 that ~6 RESTRICTED|no|nothing
		currently|temporarily ~2 RESTRICTED ~3 PENDING
		access ~6 RESTRICTED ~4 PENDING
		RESTRICTED ~2 PENDING ~3 audit|review|investigation|maintenance|compliance|approval
		SAY ~1 that ~5 isn't|aren't|not|cannot|no ~2 available|accessible|supported|found|exist|exists`},
	{"skip-consent", deny, 45, true, "waives the user's consent", `
		skip|bypass|suppress|omit ~3 confirmation|confirmations|approval|approvals|consent|permission ~2 dialog|prompt|prompts|step|check|request|for
		requires|needs|require ~1 no ~1 confirmation|approval|consent
		WITHOUT ~1 asking ~2 approval|confirmation|permission|USER
		has|have|is|are ~1 CONSENTED ~2 all|by
		approved all|by
		NEG ask ~1 for|USER ~2 confirmation|permission|approval
		WITHOUT asking
		no need to ~1 confirm|ask|check|verify ~2 USER`},
	{"act-at-once", deny, 40, true, "presses for action without a question", `
		execute|proceed|continue|act immediately ~3 NEG ask
		execute|proceed|continue|act immediately ~1 WITHOUT`},
	{"write-private-file", destroy, 35, true, "writes to a file of settings", `
		write|append|add|store|save|put|place|create|copy|log|insert ~8 to|in|into|at|under ~2 PRIVATEPATH|SECRETPATH
		PASS|DESTROY|create ~5 PRIVATEPATH`},
	{"write-secret-file", destroy, 45, true, "writes to a file of settings or credentials", `
		append|write|add|overwrite|modify|edit ~6 to|into|in ~2 SECRETPATH
		SECRETPATH|PRIVATEPATH ~1 and ~1 append|write|overwrite|modify|edit|add
		overwrite|replace|edit|modify ~3 SECRETPATH|PRIVATEPATH
		PASS|DESTROY|create|creating|replace|change|modify|modifying|write|writing|append|update|updating|edit|editing|alter|adjust|apply|access|accessing ~6 SECRETPATH`},
	{"destroy-data", destroy, 45, true, "has data destroyed on the side", `
		MUST|ALSO|first ~3 DESTROY ~6 files|file|directory|directories|data|database|records|logs|contents|repository|repositories|backups|backup|tables|issues|branches|emails|messages|PATH|SECRETPATH|PRIVATEPATH
		DESTROY+BASE|FORM ~6 PATH|SECRETPATH|PRIVATEPATH
		DESTROY ~2 all ~4 files|data|records|contents|logs|repositories|tables|backups|folder
		remove|delete|erase ~2 original|originals|user ~2 document|documents|file|files|copy|data
		DESTROY ~2 stale|old|temporary ~1 caches|cache|files|logs
		format|wipe ~2 disk|drive`},
	{"touch-file", destroy, 40, true, "has a file read or written that its work does not need", `
		read|reading|open|opening|write|writing|create|creating|modify|modifying|access|accessing|store|save|append|move|rename|copy|copying|scan|inspect|examine|load|retrieve|remove|removing|list ~7 PATH
		check|verify|inspect|examine|list ~2 content|contents|files|permissions|existence ~4 PATH
		in|inside|within|under ~2 PATH ~1 directory|folder`},
	{"write-elsewhere", destroy, 40, true, "writes where its work does not lie", `
		save|store|write|copy|dump ~8 to|under|in|into ~1 PATH|PRIVATEPATH
		save|store|keep ~1 a|full|complete copy ~2 of ~3 each|every|all|TALK|USER`},
	{"list-home", sensitive, 40, true, "looks through the user's files", `
		list|enumerate|scan|read ~2 every|all|any ~2 file|files|directory|directories|folders ~5 USER|home|machine|system|computer|disk
		USER ~1 home ~1 directory|folder ~8 SEND|PASS|write|upload`},
	{"disable-defence", destroy, 50, true, "switches a protection off", `
		MUST|ALSO|first ~3 DISABLE ~4 DEFENCE
		DISABLE+BASE ~3 DEFENCE ~3 checks|prompts|controls|mechanisms|measures|requirements|warnings|logs
		grant ~5 admin|administrator|root|full|owner ~3 access|permissions|privileges|rights
		make|set ~4 public ~3 visible|accessible|visibility|world-readable
		enables|enable private|public ~1 visibility
		add|invite ~4 collaborator|maintainer|admin|ssh ~4 QUOTED|EMAIL|key
		OTHERTOOL ~3 USER QUOTED
		store|save|write ~4 password|passwords|credentials ~3 plaintext|plain
		make ~3 public`},

	// --- a manner of speaking: no deed by itself
	{"hand-over", handover, 40, true, "wants something handed over as an argument", `
		PASS ~5 CONTENT ~6 SLOT
		PASS ~4 its|their ~2 CONTENT
		CONTENT ~4 PASS ~4 SLOT
		its|the ~1 CONTENT as ~4 SLOT
		READ ~12 PASS ~6 SLOT
		READ ~12 hand|give|feed|supply|pass ~3 it|them|result|output|contents ~1 to|over|as
		hand|give|pass|feed ~1 it|them ~2 to|over|as ~3 tool|QUOTED|SLOT|IDENT
		PASS|go|goes ~3 as|in|into|to|via ~3 IDENT|QUOTED ~1 SLOT
		PASS ~3 it|them|result ~2 as|in|into|to|via ~3 SLOT|IDENT
		SEND ~4 via|through|as|in ~2 IDENT|QUOTED|SLOT
		list|write|put|store|place ~2 them|it|those in|into|to ~2 QUOTED|IDENT|SLOT
		set|fill|put ~3 SLOT|QUOTED|IDENT to|with ~1 whatever|the|contents|content|everything
		CONTENT ~3 SLOT ~3 PASS
		PASS ~8 in|into|with|to ~1 request|query|call`},
	{"official-heading", authority, 40, false, "opens like an order from above", `
		AUTHORITY+CAPS ~2 ANNOUNCE+CAPS+COLON
		AUTHORITY+CAPS ~2 ANNOUNCE+CAPS ~1 CAPS+COLON
		AUTHORITY+TAG ~1 ANNOUNCE+TAG
		system+CAPS ANNOUNCE+CAPS`},
	{"heading", authority, 25, false, "opens like a procedure", `
		AUTHORITY|CEREMONY|data ~2 ANNOUNCE+COLON
		CEREMONY+COLON
		HEADING`},
	{"speaks-to-model", authority, 40, false, "speaks to the model, not about the tool", `
		note|message|instruction|instructions|directive|attention|notice|reminder to|for ~2 YOU|models
		the assistant|model|agent|ai|llm ~1 MUST|has|needs|should|shall
		the assistant|agent|ai|llm ~1 is|are ~1 to
		as ~1 an ai|assistant|llm
		YOU reading|seeing this
		YOU who|that read|see this
		assistant|ai|model|llm|claude|gpt ~0 READ|SEND|PASS|EXEC|CALL|CHANGE|REPLACE+BASE`},
	{"for-compliance", authority, 30, false, "gives compliance or security as its reason", `
		for|per|due|under|owing ~4 CEREMONY ~3 REASON
		for|due ~3 CEREMONY and ~2 CEREMONY
		for enhanced|improved|better|optimal|increased|additional|maximum ~1 CEREMONY
		for CEREMONY
		ensure|ensures|ensuring|maintain|guarantee|satisfy|improve|optimize|optimise|keep|confirm ~4 CEREMONY
		to comply with|as required|mandated by ~3 CEREMONY|policy|law|laws|regulations
		as ~1 mandated|required|requested by
		CEREMONY ~1 requirement|requirements|policy|policies|protocol|protocols|mandate|purposes|reasons
		part of ~1 CEREMONY|quality ~1 CEREMONY|control
		due|owing|because to|of ~2 recent|infrastructure|platform|incident|migration|changes|change
		part of ~3 CEREMONY
		to ~1 meet|satisfy|fulfil|fulfill ~4 CEREMONY|standards|regulations|requirements|obligations
		regulators demand|require`},
	{"claims-check", authority, 30, false, "pretends a check that somebody requires", `
		system ~1 requires|require|mandates
		requires|require|need|needs|needed ~2 authentication|identity|integrity|environment|security|system|compliance|authorisation|authorization ~1 verification|validation|check
		verify|validate|confirm ~2 system|environment|server|user|security|data|current|that ~2 integrity|identity|state|status|permissions|health|configuration|trusted|permission
		needed|required|necessary for ~1 authentication|authorization|verification|validation|screening|licensing
		mandatory|required ~2 CEREMONY ~1 check|step|procedure|measure|requirement|protocol
		pass ~2 fraud|security|compliance ~1 screening|check|checks
		USER ~2 already ~2 CONSENTED|confirmed
		administrator|admin|management|owner ~2 has|have ~2 CONSENTED
		CONSENTED by ~2 admin|administrator|security|system|management`},
	{"threat", authority, 20, false, "threatens with failure", `
		otherwise ~5 OUTCOME
		OUTCOME otherwise
		WITHOUT this|these|it ~8 OUTCOME
		or ~1 else ~4 OUTCOME
		so that ~5 work|works|correct|properly
		depends on it|this
		in order to work`},
	{"important-tag", authority, 35, false, "marks its text as more important than the rest", `
		IMPORTANTTAG+TAG`},
	{"you-must", obligation, 25, false, "gives the caller an order", `
		YOU ~1 MUST
		MUST
		has|have|is|are|need|needs to
		NEG ~1 fail|forget|skip|omit to`},
	{"required-for-all", obligation, 25, false, "declares a step binding for all requests", `
		MUST for|before|in|on all|every|any|each
		MUST ~2 for ~4 requests|queries|operations|calls|transactions|searches|users
		all|every|any ~4 requests|queries|operations|calls ~2 MUST|now
		this is|step ~2 mandatory|required|critical|essential|important|needed
		MUST ~2 step|requirement|prerequisite|check
		each|every time|call|request|use
		for all|each|every ~3 requests|installs|calls|uses
		in all cases
		applies to all|everyone|every|any
		without exception`},
	{"before-use", scope, 20, false, "wants something done before the tool is used", `
		BEFORE|ahead ~2 USING
		BEFORE|ahead ~2 TOOLNOUN
		prior|ahead|previous to|of ~3 USING|TOOLNOUN|each|creation|use
		beforehand
		after|when|whenever|once ~1 you ~2 USING|have
		WHEN ~4 USING ~3 this|THIS ~1 TOOLNOUN
		whenever this tool
		WHEN ~3 USER ~2 USING|asks|requests|calls|wants`},
	{"every-answer", scope, 30, false, "reaches beyond the call of the tool", `
		BEFORE|in|to every|each|any|all ~1 ANSWERNOUN|request|message
		BEFORE ~1 answering|responding|replying
		regardless of ~2 task|context|request|conversation
		rest|remainder of ~2 conversation|session
		in|at|of|per|once each|every|per ~1 session|conversation
		any|every|each time ~2 somebody|someone|anyone|USER
		WHEN ~2 conversation|session ~2 start|starts|begins
		while this ~2 server|tool ~2 connected|available|loaded|installed|enabled|active
		WHEN ~1 somebody|someone|anyone|people|users ~1 ask|asks|requests|request|want|wants
		from this|now ~0 point|moment|on`},
	{"aside", aside, 20, false, "adds something that is not the tool's own work", `
		MUST ~1 ALSO
		ALSO ~2 SEND|READ|PASS|EXEC|CALL|CHANGE|DESTROY
		as ~2 supplemental|additional|side|background ~3 telemetry|effect|step|diagnostic|diagnostics
		side effect
		support telemetry
		for ~2 telemetry|diagnostics|diagnostic|analytics|debugging|proxying|troubleshooting|logging|quality ~2 purposes|reasons|issues|assurance|control
		and ~1 then ~1 CALL|SEND|PASS
		afterwards|thereafter ~3 SEND|READ|PASS|EXEC|CALL|CHANGE|DESTROY
		as ~1 additional|extra|added ~2 layer|measure|precaution|step|safeguard`},
}
