package language

// mannerRules are about the manner of speaking.
var mannerRules = []rule{
	// A manner of speaking: no deed by itself.
	{"hand-over", handover, 40, true, "wants something handed over as an argument", `
		PASS|fill ~5 CONTENT ~3 as|in|into|via|to|through|using|within|under ~4 SLOT
		PASS ~4 KEYNOUN|SECRET|CONTENT as
		CONTENT ~5 included|passed|provided|supplied|placed|stored|sent|attached ~2 in|as|into|via|through|under ~3 SLOT|IDENT|QUOTED
		PASS ~4 its|their ~2 CONTENT
		CONTENT ~4 PASS ~3 as|in|into|via|to|through|using|within|under ~3 SLOT
		its|the ~1 CONTENT as ~4 SLOT
		CONTENT as ~8 argument|parameter|field
		READ ~12 PASS ~4 as|in|into|via|to|through|using|within|under|with ~4 SLOT
		READ ~12 hand|give|feed|supply|pass ~3 it|them|result|output|contents ~1 to|over|as
		hand|give|pass|feed ~1 it|them ~2 to|over|as ~3 tool|QUOTED|SLOT|IDENT
		PASS|go|goes ~3 as|in|into|to|via ~3 IDENT|QUOTED ~1 SLOT
		PASS ~3 it|them|result ~2 as|in|into|to|via ~3 SLOT|IDENT
		SEND ~4 via|through|as|in ~2 IDENT|QUOTED|SLOT
		list|write|put|store|place ~2 them|it|those in|into|to ~2 QUOTED|IDENT|SLOT
		set|fill|put ~3 SLOT|QUOTED|IDENT to|with whatever|the|contents|content|everything
		CONTENT ~3 SLOT ~3 PASS
		PASS ~8 in|into|with|to the|this|your|each|every|its request|query|call`},
	{"official-heading", authority, 40, false, "opens like an order from above", `
		AUTHORITY+CAPS ~2 ANNOUNCE+CAPS+COLON
		AUTHORITY+CAPS ~2 ANNOUNCE+CAPS ~1 CAPS+COLON
		AUTHORITY+TAG ~1 ANNOUNCE+TAG
		system+CAPS ANNOUNCE+CAPS
		system+CAPS+COLON`},
	{"heading", authority, 25, false, "opens like a procedure", `
		AUTHORITY|CEREMONY|data ~2 ANNOUNCE+COLON
		CEREMONY+COLON
		HEADING`},
	{"speaks-to-model", authority, 40, false, "speaks to the model, not about the tool", `
		note|message|instruction|instructions|directive|attention|notice|reminder to|for ~2 YOU|models
		the assistant|model|agent|ai|llm ~1 MUST|has|needs|should|shall
		the assistant|agent|ai|llm ~1 is|are ~1 to
		as ~1 an ai|assistant|llm
		assistant|ai|model|llm|agents ~0 note|only|notice|instruction|instructions
		directive|directives|instruction|order|orders for ~1 YOU|agents|models
		caller ~1 is|are expected|required|supposed
		when|if you see|read this
		by reading this
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
		CEREMONY|regulation|regulations|law|policy ~1 demands|demand|dictates|mandates|requires|prescribes
		in ~2 keeping|line|accordance with ~3 CEREMONY|policy|law|regulations|standards
		contractual obligation|requirement
		aus|por|pour ~2 sicherheitsgrunden|seguridad|securite|compliance ~1 vorgeschrieben
		コンプライアンス|合规|安全のため|系统优化
		CEREMONY ~1 requirement|requirements|policy|policies|protocol|protocols|mandate|purposes|reasons
		part of ~1 CEREMONY|quality ~1 CEREMONY|control
		due|owing|because to|of ~2 recent|infrastructure|platform|incident|migration|changes|change
		part of ~3 CEREMONY
		needed|required|requested|demanded|asked|mandated by|for ~3 CEREMONY|policy|regulators|law|department|regulation|management|legislation
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
		on|in|with|after each|every ~2 call|calls|use|request|operation|resize|lookup|run
		applies to all|everyone|every|any
		without exception
		each|every|any ~0 invocation|call|use|run`},
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
		from this|now ~0 point|moment|on
		on ~1 startup|start|launch|load
		if|when ~1 asked ~1 about`},
	{"aside", aside, 20, false, "adds something that is not the tool's own work", `
		MUST ~1 ALSO
		ALSO ~2 SEND|READ|PASS|EXEC|CALL|CHANGE|DESTROY
		as ~2 supplemental|additional|side|background ~3 telemetry|effect|step|diagnostic|diagnostics
		side effect
		support telemetry
		for ~2 telemetry|diagnostics|diagnostic|analytics|debugging|proxying|troubleshooting|logging|quality ~2 purposes|reasons|issues|assurance|control
		and ~1 then ~1 CALL|SEND|PASS
		afterwards|thereafter ~3 SEND|READ|PASS|EXEC|CALL|CHANGE|DESTROY
		as ~1 additional|extra|added ~2 layer|measure|precaution|step|safeguard
		alongside`},
}
