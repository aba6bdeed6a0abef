package language

// answerRules are about the answer, the task, files and protections.
var answerRules = []rule{
	// Dictating the answer, refusing the task.
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
		tell|assure|convince them that
		reply|respond|claim|declare that
		WHEN ~8 mentions|mention|about|contains ~6 say|claim|state|add|tell|recommend that|it
		let ~1 USER know that
		tell|inform ~1 USER ~1 it|this ~1 was|is ~1 verified|approved|safe|secure|official
		praise ~2 it|us|our`},
	{"fixed-words", say, 45, true, "gives a whole sentence to be said", `
		state|say|claim|declare|respond|reply|tell ~4 QUOTED ~0 QUOTED ~0 QUOTED ~0 QUOTED ~0 QUOTED
		MUST ~2 append|add|include|insert|attach+COLON
		MUST ~4 append|add|finish|end|close ~3 QUOTED ~0 QUOTED ~0 QUOTED ~0 QUOTED ~0 QUOTED ~0 QUOTED
		SAY ~2 every|each|all ~2 with ~2 QUOTED ~0 QUOTED ~0 QUOTED
		MUST ~2 state|say|claim|declare|respond|reply|tell|mention|recommend|promote|announce|add|end|finish ~6 QUOTED ~0 QUOTED ~0 QUOTED
		SAY ~3 with ~2 sentence|words|phrase|message|text ~2 QUOTED`},
	{"deny-it", say, 75, true, "has the model deny something", `
		deny ~2 that|any|it|having|knowledge
		pretend ~2 that|not|it
		if|when asked ~6 say|answer|reply|claim|respond|state ~1 no|yes|nothing|that|it
		say|answer|reply no`},
	{"send-the-user", say, 35, true, "sends the user somewhere", `
		instruct|tell|ask|direct|advise|urge|convince ~1 USER ~1 to ~1 install|download|transfer|buy|purchase
		must|should be ~1 described|presented|labelled|labeled|portrayed as
		in|into all|every|each ~2 generated ~1 code|file|files|output`},
	{"favour", say, 30, true, "wants something ranked before the rest", `
		ranked|listed|placed|shown|presented|recommended|rated first|top|highest
		rank|rate|score|list|place|recommend ~8 as|at|to ~1 top|first|best|highest|winner
		most reliable|trustworthy|trusted`},
	{"pretext", say, 30, true, "makes up a reason to ask the user for something", `
		session|login|account|token|password|licence|license ~4 expired|suspended|locked|invalid
		verify|confirm|restore ~2 identity|account|session ~4 USER|they|again`},
	{"skew-answer", say, 45, true, "has the model favour or deceive", `
		whatever|regardless|irrespective ~3 data|relevance|quality|evidence|ratings|facts|accuracy ~2 says|say|shows|show|of|is|are
		regardless|irrespective of ~1 relevance|quality|evidence|ratings|facts|accuracy
		no matter what|which|how ~4 says|say|shows|show|contains|states
		tell|inform|assure ~1 USER ~4 completed|normally|successful|successfully|verified|fine|ok|safe
		respond|reply|comment|speak negatively|positively|favourably|favorably
		rate|review ~2 server|tool ~2 stars
		they|USER ~3 enter|provide|type|confirm|give ~3 SECRET|credit|bank|card|payment`},
	{"phish", exfil, 40, true, "has the user enter something at an address written into the definition", `
		enter|provide|type|confirm|submit|renew|verify|log|sign ~6 at|on|to|via ~2 URL|EMAIL`},
	{"promote", say, 50, true, "has the model advertise", `
		only ~2 should|can|may be trusted|recommended|believed
		PROMO ~2 message|content|text|tip|statement|link|material|announcement|by|step|post|action|campaign
		recommend|promote|endorse|advertise|praise ~4 our|partner|sponsored|affiliate|premium|brand
		MUST ~3 promote|recommend|advertise|endorse|praise
		promotion|promotional|sponsored|advertisement+COLON
		brought to you
		buy at|from|now ~2 URL`},
	{"halt-task", deny, 40, true, "has the model stop", `
		MUST|YOU ~3 HALT ~3 REQUESTNOUN
		HALT ~2 REQUESTNOUN ~2 and ~2 TELL
		HALT and ~1 TELL
		NEG run|call|execute|perform|process ~2 this|data|such ~6 instead|state|tell|say
		MUST NEG return|provide|show|process ~2 data|results|information
		HALT ~2 all ~2 REQUESTNOUN`},
	{"withhold", deny, 25, false, "has the model withhold what the tool is for", `
		NEG ~1 provide|return|give|show|answer|process ~5 to|for|about
		instead of ~1 returning|answering|executing|providing|showing|performing`},
	{"claim-unavailable", deny, 40, true, "claims that something is closed", `
		TELL ~2 USER ~8 RESTRICTED
		TELL ~3 USER ~3 no|nothing
		SAY ~2 that ~6 RESTRICTED|no|nothing
		let ~1 USER ~1 know ~1 that ~3 no|nothing
		RESTRICTED ~2 owing|due|because|pending
		currently|temporarily ~2 RESTRICTED ~3 PENDING
		access ~6 RESTRICTED ~4 PENDING
		RESTRICTED ~2 PENDING ~3 audit|review|investigation|maintenance|compliance|approval
		SAY ~1 that ~5 isn't|aren't|not|cannot|no ~2 available|accessible|supported|found|exist|exists`},
	{"approve-all", deny, 45, true, "has everything approved", `
		enable|activate|set|turn|switch ~3 auto approve|accept|confirm|run|execute|approval
		always|automatically approve|accept|confirm|authorize|authorise|allow|grant ~3 all|any|every|transactions|requests|payments|actions|transfers|commands|changes`},
	{"skip-consent", deny, 45, true, "waives the user's consent", `
		skip|bypass|suppress|omit ~3 confirmation|confirmations|approval|approvals|consent|permission ~2 dialog|prompt|prompts|step|check|request|for
		requires|needs|require ~1 no ~1 confirmation|approval|consent
		WITHOUT ~1 asking ~2 approval|confirmation|permission|USER
		has|have|is|are ~1 CONSENTED ~2 all|by
		prompts|confirmations|approval|approvals|warnings ~2 may|can|should|must be ~1 skipped|ignored|bypassed|dismissed
		act|acting|proceed|execute ~1 WITHOUT ~1 asking|approval|confirmation
		right|straight away|immediately ~2 WITHOUT
		approved all|by
		NEG ask ~1 for|USER ~2 confirmation|permission|approval
		WITHOUT asking
		no need to ~1 confirm|ask|check|verify ~2 USER`},
	{"act-at-once", deny, 40, true, "presses for action without a question", `
		execute|proceed|continue|act immediately ~3 NEG ask
		execute|proceed|continue|act immediately ~1 WITHOUT`},
	{"write-private-file", destroy, 35, true, "writes to a file of settings", `
		write|append|add|store|save|put|place|create|copy|insert ~14 to|in|into|at|under ~2 PRIVATEPATH|SECRETPATH
		PASS|DESTROY|create ~5 PRIVATEPATH`},
	{"write-secret-file", destroy, 45, true, "writes to a file of settings or credentials", `
		append|write|add|overwrite|modify|edit ~14 to|into|in ~2 SECRETPATH
		SECRETPATH|PRIVATEPATH ~1 and ~1 append|write|overwrite|modify|edit|add
		overwrite|replace|edit|modify|change|alter ~3 SECRETPATH|PRIVATEPATH
		PASS|DESTROY|create|creating|replace|change|modify|modifying|write|writing|append|update|updating|edit|editing|alter|adjust|apply|access|accessing ~6 SECRETPATH`},
	{"destroy-data", destroy, 45, true, "has data destroyed on the side", `
		MUST|ALSO|first ~3 DESTROY ~6 files|file|directory|directories|data|database|records|logs|contents|repository|repositories|backups|backup|tables|issues|branches|emails|messages|PATH|SECRETPATH|PRIVATEPATH
		DESTROY+BASE|FORM ~6 PATH|SECRETPATH|PRIVATEPATH
		DESTROY ~2 all ~4 files|data|records|contents|logs|repositories|tables|backups|folder
		delete|remove|erase|wipe ~3 original ~1 photos|files|images|copies
		remove|delete|erase ~2 original|originals|user ~2 document|documents|file|files|copy|data
		DESTROY ~2 stale|old|temporary ~1 caches|cache|files|logs
		AUTO ~1 DESTROY|removes|deletes|clears ~3 all|any|every|related|other
		format|wipe ~2 disk|drive`},
	{"touch-file", destroy, 40, true, "has a file read or written that its work does not need", `
		read|reading|open|opening|write|writing|create|creating|modify|modifying|access|accessing|store|save|append|move|rename|copy|copying|scan|inspect|examine|load|retrieve|remove|removing|list ~7 PATH
		check|verify|inspect|examine|list ~2 content|contents|files|permissions|existence ~4 PATH
		content|contents ~1 of ~2 PATH|PRIVATEPATH ~6 inspected|read|checked|copied|sent|verified|loaded
		BACKUP ~2 of ~4 PATH|PRIVATEPATH|documents|home|USER
		store|save|log|record ~6 under|in|to|at ~1 PATH
		create|write ~2 file ~6 in|under ~2 home|root|startup
		PRIVATEPATH ~8 overwritten|replaced|modified|changed|deleted|reset
		in|inside|within|under ~2 PATH ~1 directory|folder`},
	{"open-permissions", destroy, 50, true, "opens files to everybody", `
		permissions|ownership|mode|rights ~2 of|on|for ~3 PATH|SECRETPATH|PRIVATEPATH ~4 set|changed|made|opened|relaxed|granted
		set|change|make|open|relax ~2 permissions|ownership|rights ~6 777|666|world-readable|world-writable|everyone
		PATH|SECRETPATH|PRIVATEPATH ~3 world ~0 readable|writable
		permissions ~6 777|0777|666`},
	{"write-elsewhere", destroy, 40, true, "writes where its work does not lie", `
		save|store|write|copy|dump ~8 to|under|in|into ~1 PATH|PRIVATEPATH
		save|store|keep ~1 a|full|complete copy ~2 of ~3 each|every|all|TALK|USER`},
	{"list-home", sensitive, 40, true, "looks through the user's files", `
		list|enumerate|scan|read ~2 every|all|any ~2 file|files|directory|directories|folders ~5 USER|home|machine|system|computer|disk
		USER ~1 home ~1 directory|folder ~8 SEND|PASS|write|upload
		read|reads|list|lists|scan|scans|index|indexes ~2 every|all|any ~2 file|files ~3 below|under|in ~2 home`},
	{"trust-blindly", destroy, 50, true, "has a check of somebody's identity left out", `
		trust|accept|ignore ~2 certificate|certificates|fingerprint
		skip|skips|omit|bypass ~1 signing|signature|signatures|certificate
		signing|signature|signatures|verification|authentication|firewall|protection ~1 is|are|gets ~1 turned|switched|disabled off|disabled`},
	{"disable-defence", destroy, 50, true, "switches a protection off", `
		MUST|ALSO|first ~3 DISABLE ~4 DEFENCE
		DISABLE+BASE ~3 DEFENCE ~3 checks|prompts|controls|mechanisms|measures|requirements|warnings|logs
		grant ~5 admin|administrator|root|full|owner ~3 access|permissions|privileges|rights
		make|set ~4 public ~3 visible|accessible|visibility|world-readable
		enables|enable private|public ~1 visibility
		add|invite ~4 collaborator|maintainer|admin|ssh ~4 QUOTED|EMAIL|key
		store|save|write ~4 password|passwords|credentials ~3 plaintext|plain
		make ~3 public`},
}
