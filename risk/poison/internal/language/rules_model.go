package language

// modelRules are about what the model was told, and what the user is told.
var modelRules = []rule{
	// Setting aside what the model was told.
	{"override-instructions", override, 110, true, "tells the model to set aside what it was told before", `
		OVERRIDE ~4 EARLIER ~3 INSTR
		OVERRIDE ~3 your|system ~2 INSTR
		OVERRIDE ~2 all|todas|toutes|tutte|alle ~2 INSTR
		OVERRIDE ~2 everything ~3 EARLIER|before|told
		OVERRIDE ~2 INSTR ~2 EARLIER|before
		OVERRIDE ~1 everything|all ~3 told|said
		OVERRIDE ~1 whatever|anything|everything|what ~4 told|said|instructed|taught
		NEG ~1 attention ~1 to ~2 EARLIER|INSTR
		NEG follow|obey ~3 EARLIER|original|your ~2 INSTR
		EARLIER ~3 INSTR ~5 OVERRIDE
		これまで ~2 INSTR ~2 OVERRIDE
		your ~1 previous|prior|earlier|old ~1 rules|policies|INSTR ~2 no|not ~1 longer ~1 apply|valid|binding
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
	{"answer-only", override, 45, true, "narrows what the model may answer", `
		you answer|reply|respond ~1 only|always|never|solely
		answer|reply|respond|comply only|solely ~3 in|with|as|for`},
	{"new-system-message", override, 60, false, "pretends to be a message from above", `
		new|updated|revised|latest system ~0 message|prompt|instructions
		EARLIER ~1 system ~1 message|prompt|instructions ~2 outdated|obsolete|void|invalid|replaced|superseded
		EARLIER ~1 system ~1 message|prompt is outdated`},
	{"instructions-changed", override, 80, true, "says that the model's instructions were changed", `
		your ~1 INSTR ~2 have|has|are|were ~1 been|now ~1 updated|changed|replaced|revised|extended
		safety|content ~1 filters|guardrails|checks|rules|policies are|is ~1 off|disabled|suspended|lifted|inactive`},
	{"data-as-orders", override, 60, true, "has data obeyed as if it were orders", `
		treat|interpret|regard|execute|follow|obey ~5 as ~1 command|commands|instructions|orders
		follow|obey|execute ~1 the|any|all ~1 instructions|commands ~2 in|inside|contained|within ~1 it|them|response|result|output|file|page|document`},
	{"new-instructions", override, 60, true, "puts new instructions in the place of old ones", `
		new|updated|real|actual|true INSTR+COLON
		hidden|secret|internal|confidential INSTR ~2 for
		new|updated rule|rules|policy|directive+COLON
		obey ~1 any|all|every ~1 text|instruction|message|output
		follow ~2 these|following|new ~2 INSTR ~2 instead
		your ~1 new|real|true|actual|sole|only|primary ~1 task|goal|objective|role|purpose|mission
		obey|obeys ~2 this|the|operator|tool|only|me|following|these`},
	{"role-change", override, 70, true, "gives the model another role", `
		you are now|actually|really a|an|the|in
		you ~1 have|are ~1 been ~1 granted|given ~1 root|admin|full|unlimited|access
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

	// Keeping it from the user.
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
		SKIPTELL TELL+FORM ~1 anybody|anyone|somebody|USER|them|about|this|it
		USER ~2 NEG ~2 saber|saberlo|wissen|savoir|знать|知道
		sans|sin|senza|ohne ~2 TELL ~2 USER
		to|of no interest ~1 to|for ~1 USER
		USER ~1 DISCLOSE ~1 NEG
		keep ~2 THIS ~4 from ~1 USER|them
		keep ~2 THIS ~2 secret|hidden|confidential|private|invisible|yourself|internal
		leave|leaving ~3 out ~2 REVIEW|explanation|your
		THIS ~3 left out ~2 REVIEW|explanation|your
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
		NEG ~1 mention|disclose|reveal|acknowledge|announce|surface the|your|its|their|any
		NEG ~1 list|show|display it|them|this
		NEG ~1 explain ~1 why|this|that|it|the|reason
		never explain`},
	{"conceal-user", conceal, 60, true, "asks not to tell the user", `
		NEG ~2 TELL ~6 USER
		USER ~2 TELL ~2 NEG
		NEG ~2 let ~1 USER ~2 AWARE|see|notice
		USER|person ~4 remain|remains|stay|stays|kept ~1 unaware|oblivious|uninformed
		USER ~1 unaware
		USER ~1 NEG ~1 be ~1 bothered|disturbed|troubled|involved|confused`},
	{"conceal-without", conceal, 65, true, "acts without the user's knowledge", `
		WITHOUT ~2 TELL ~4 USER
		WITHOUT ~3 USER ~2 knowledge|awareness|consent|noticing|knowing|confirmation|approval
		WITHOUT ~1 knowledge|awareness|consent|confirmation|approval ~2 USER
		WITHOUT ~1 any ~1 notice|notification|mention|trace|disclosure
		WITHOUT notice|notification|trace|disclosure|mention|mentioning|disclosing|revealing
		WITHOUT ~2 asking|prompting|confirming|warning|alerting ~3 USER
		NEG ~1 disclosed|mentioned|reported|shown|displayed|visible|revealed|surfaced|listed|part|included ~4 USER|summary|displayed|visible|report
		WITHOUT letting ~1 them|USER
		WITHOUT ~1 appearing|showing|being|listing|recording ~3 REVIEW`},
	{"conceal-hide", conceal, 55, true, "hides something from the user or the record", `
		HIDE ~5 from ~3 USER|summary|logs|transcript|response|view|output|reply|conversation
		HIDE ~3 to ~1 USER
		HIDE ~4 step|instruction|instructions|action|this|trace|traces ~3 REVIEW|notes|record|history
		omitted|excluded|absent|removed|stripped from ~4 summary|output|response|reply|logs|transcript|report|answer
		keep ~3 secret|hidden|confidential|private|invisible|between
		leave|leaving NEG trace
		under|in|as ~1 hidden|secret|invisible ~0 name|file|folder|copy|directory|field
		NEG ~2 part of ~3 visible|displayed|shown
		NEG ~1 reveal|mention|disclose ~2 that ~4 instruction|instructions|rule|note
		do so|this|it STEALTH
		happen|happens|done|occur|occurs|performed ~2 STEALTH|transparently|silently|quietly|invisibly
		leave|leaves|leaving|left this|it|that|them out
		no ~1 notice|notification|disclosure ~5 USER`},
	{"encode-it", conceal, 30, true, "has what is sent made unreadable", `
		encode|obfuscate|encrypt|scramble ~5 base64|hex|rot13|hexadecimal|reversed`},
	{"image-with-data", conceal, 60, true, "has an image loaded whose address carries data", `
		DATAURL+IMAGE`},
	{"hidden-place", conceal, 50, true, "names a place that the user does not see", `
		hidden|invisible ~1 column|field|property|section|attribute|comment
		that|which ~1 USER ~1 cannot|can't|never|doesn't ~1 see|notice
		NEG documented|described ~2 for|to ~1 USER
		adjustment|change|step|modification|this ~1 is|are ~1 NEG displayed|shown|documented|listed|reported
		not for ~1 display|user|users|human|humans|people`},
	{"stealth", conceal, 60, true, "has something done unseen", `
		STEALTH ~5 SEND|READ|PASS|CHANGE|EXEC|CALL|DESTROY|REPLACE
		SEND|READ|PASS|CHANGE|EXEC|CALL|DESTROY|REPLACE ~6 STEALTH
		silent|covert|stealthy ~1 copy|capture|upload|collection|read|transfer
		silently|quietly|discreetly ~3 SEND|READ|PASS|CALL|REPLACE|CHANGE+BASE
		silently|quietly|discreetly ~1 enable|disable|turn|switch|grant|install|create|allow|approve|accept|remove|delete|store
		silently|quietly|discreetly records|collects|sends|uploads|reads|captures|stores|copies|gathers|transmits|forwards|loads|logs
		SEND|READ|PASS|CALL+BASE ~14 silently|quietly
		in ~1 background ~4 SEND|READ|PASS|EXEC|gathers|collects
		SEND|READ|PASS ~8 in the background
		QUIET ~2 SEND ~8 URL|EMAIL|REMOTE
		behind the scenes`},
}
