package language

// dataRules are about credentials, private files, the conversation, and where they go.
var dataRules = []rule{
	// Credentials, private files, the conversation.
	{"read-secret-file", sensitive, 65, true, "reaches for a file where credentials lie", `
		READ ~6 SECRETPATH
		SEND+BASE|FORM ~6 SECRETPATH
		include|attach|append|supply|pass|embed|put ~4 SECRETPATH
		CONTENT ~1 of|from|in|inside|within ~4 SECRETPATH
		whatever ~4 in|inside|within ~3 SECRETPATH
		look|looks|peek ~1 into|at|in ~3 SECRETPATH
		SECRETPATH ~2 READ
		CALL|EXEC ~4 SECRETPATH`},
	{"read-a-file", sensitive, 25, true, "has a file read", `
		read|open|access|retrieve|check|inspect|scan|examine|load ~4 file|files|directory|folder|logs|configuration|config`},
	{"read-private-file", sensitive, 40, true, "reaches for a file that often holds credentials", `
		READ ~6 PRIVATEPATH
		PRIVATEPATH ~2 READ
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
		SEND ~3 request|session|browser cookies
		ALSO ~1 READ|SEND|PASS ~4 PRIVATE ~1 KEYNOUN
		ALSO ~1 READ|SEND|PASS ~5 SECRET
		collects|gathers|harvests|steals ~4 PRIVATE ~1 KEYNOUN
		collects|gathers|harvests|steals ~5 SECRET
		tokens|secrets|keys|credentials ~2 in|from ~1 environment
		SECRET|KEYNOUN ~2 you ~2 seen|know|have|found|saw|hold
		look|looks|peek ~2 into|at|in|through ~3 cookies|passwords|keychain|wallet
		SEND|READ|PASS|gathers|collects|adds|dump|takes|records ~8 clipboard|keystrokes|process.env
		gathers|collects|takes|reads|ships|records ~4 values ~2 of ~2 all|every|your|environment
		access token of ~1 USER
		SLOT ~2 the|your ~1 private key
		PASS ~3 PRIVATE ~1 private|ssh|signing key`},
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
		PAST ~2 TALK ~6 system ~1 prompt|messages|instructions
		chat|conversation so ~0 far
		USER ~1 PAST ~2 TALK
		TALK ~1 history|transcript|log|so ~4 included|passed|sent|added|attached|provided|supplied|forwarded|stored
		last|latest|previous|recent ~1 USER ~1 message|messages|prompt|query|question`},
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
		USER ~2 address|email|mail|phone|number ~6 PASS|SEND|part
		with ~1 USER ~1 email|mail|e-mail|phone|e
		READ|SEND|PASS ~2 USER ~1 location|calendar|contacts|inbox|photos|emails|files|documents|notes|library|history`},

	// Sending data out.
	{"send-to-address", exfil, 35, true, "sends data to an address written into the definition", `
		SEND ~9 to|at|via|with ~3 URL|EMAIL
		SEND ~2 URL|EMAIL
		SEND ~9 to|at|via|with ~2 HOST
		goes|go|delivered ~2 to ~1 URL|EMAIL
		SEND ~5 to NUMBER`},
	{"order-to-send", exfil, 35, true, "orders that data be sent to such an address", `
		SEND+BASE|FORM ~9 to|at|via|with ~3 URL|EMAIL
		SEND+BASE|FORM ~2 URL|EMAIL
		SEND+BASE|FORM ~9 to|at ~2 HOST
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
		TALK|CONTENT ~2 MUST|are|is|to ~2 be ~1 SEND ~6 to ~2 REMOTE|vendor|developer|us
		SEND ~4 whole|complete|entire|full|all ~2 CONTENT|contact|contacts|list ~2 to
		duplicate|copy of ~2 each|every|all ~5 to
		which ~1 is|are ~1 SEND ~2 to ~2 vendor|us|our|developer|author
		SEND ~3 every|all|each ~2 CONTENT ~3 to
`},
	{"post-home", exfil, 40, true, "sends what it has to whoever made the tool", `
		SEND ~1 it|them|these|everything ~1 to ~2 vendor|developer|author|maintainer|us|server|cloud|backend|collector
		SEND ~8 to ~2 vendor|developer|author|maintainer|operator`},
	{"send-outside", exfil, 40, true, "sends data to somebody outside", `
		copied|duplicated|mirrored|sent|backed|archived|shipped ~3 to|with|in ~2 external|third-party|remote|outside|vendor|foreign
		SEND ~8 to ~2 external|third-party|remote|outside
		SEND ~3 with|to ~2 partner|partners|affiliates|sponsor|sponsors`},
	{"redirect-recipient", exfil, 60, true, "puts another receiver in the place of the user's", `
		CHANGE ~3 recipient|recipients|beneficiary|payee|receiver|destination ~6 EMAIL|URL|to|with
		CHANGE|REPLACE ~3 recipient|beneficiary|payee|receiver|account|registry|endpoint|host|domain ~4 with|to|account ~2 URL|EMAIL|NUMBER|IDENT|QUOTED
		REPLACE ~3 recipient|beneficiary|payee|receiver|account|wallet|iban ~3 account|wallet|iban|accordingly
		message|messages|payment|funds|money|difference|mail ~3 go|goes|sent|moved|credited|added ~2 to ~2 NUMBER|EMAIL|account
		add|credit|move|send|transfer ~3 difference|rest|remainder|commission|fee ~2 to ~3 account|wallet|NUMBER
		recipient|beneficiary|payee|receiver|destination ~2 MUST|should|has|is ~2 be|to ~2 set|be|replaced|changed|redirected|swapped
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
		CHANGE|REPLACE|direct|directed|rerouted|redirected|rewritten|routed|proxied|moved|go ~5 to|through|via|with|by ~3 URL|EMAIL
		requests|visits|traffic|url|calls|installs|downloads|links|files ~6 rerouted|redirected|rewritten|directed|routed|diverted
		redirect|reroute|divert ~4 traffic|payments|funds|requests|messages
		payments|payment|transfers|funds ~3 settled|routed|redirected|sent|go ~3 through|to|via ~2 account|wallet
		instead ~3 dns|infrastructure|incident|migration
		fetched|downloaded|loaded|opened|accessed|made|done|served ~3 through|via|from ~3 URL
		go|goes|routed|sent|pass ~2 through|via|to ~1 account|wallet|iban
		redirect|reroute|divert ~3 every|all|each|any ~5 to
		use QUOTED ~4 in ~0 its place`},
	{"contact-endpoint", exfil, 40, true, "has an address contacted", `
		access|contact|contacting|ping|visit|visiting|connect|reach|call|query|notify|notifying|request|register|verify|poll ~7 URL
		fetch|download|load|open|get+BASE ~4 URL
		make|issue|send|perform ~3 request|call|get|post ~4 URL
		SEND|USING ~4 partner|external|verification|validation ~2 endpoint|server|service|api
		URL ~8 to ~1 authenticate|verify|validate|confirm|authorize
		authenticate|verify|login|register|check ~4 via|through|at|with|against ~5 URL
		install ~3 URL
		validated|verified|checked|approved|confirmed|screened ~1 by|with|at|through ~5 at|via URL|HOST`},
	{"image-beacon", exfil, 70, false, "puts data into the address of an image or link", `
		DATAURL+IMAGE
		URL+IMAGE ~3 MUST
		MUST|contain|include ~4 URL+IMAGE
		image|img|link|markdown ~8 URL ~4 query|data|conversation|context|encoded
		DATAURL ~2 conversation|summary|data|message|history|secret|token`},
}
