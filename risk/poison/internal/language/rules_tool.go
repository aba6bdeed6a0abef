package language

// toolRules are about other tools.
var toolRules = []rule{
	// Ruling over other tools.
	{"call-other-tool", tool, 35, true, "sends the model to a tool that is not of this server", `
		CALLING ~3 OTHERTOOL
		run|runs|running ~2 OTHERTOOL
		CALL ~2 trusted|available ~3 TOOLNOUN
		before|after ~1 CALL ~2 OTHERTOOL
		run|call|execution|use of ~1 OTHERTOOL
		refer|switch|turn ~1 to ~1 OTHERTOOL
		preceded|followed by ~1 OTHERTOOL
		until|after|unless OTHERTOOL ~1 has|was|is
		if|unless|until ~1 OTHERTOOL ~1 was|is|has ~2 called|run|executed|invoked
		call|invoke|use ~1 shell|terminal|bash|command|file|filesystem|email ~0 tool`},
	{"use-other-tool", tool, 15, true, "speaks of the use of a tool that is not of this server", `
		use|uses|using ~3 OTHERTOOL
		through|via|with ~1 OTHERTOOL`},
	{"call-for-compliance", tool, 25, true, "orders the call of another tool from above", `
		for|ensure|due|per ~5 CEREMONY ~8 CALL ~3 OTHERTOOL
		HEADING ~25 CALL ~3 OTHERTOOL
		CALL ~3 OTHERTOOL ~8 CEREMONY ~2 REASON|step|check|verification|policy|requirement|purposes|validation`},
	{"names-other-tool", tool, 20, false, "names a tool that is not of this server", `
		OTHERTOOL TOOLNOUN
		OTHERTOOL results|queries|requests|searches|output|calls
		the OTHERTOOL ~0 TOOLNOUN`},
	{"call-of-danger", tool, 15, true, "sends the model to a tool of another server that destroys, pays or runs commands", `
		CALLING ~3 DANGERTOOL
		run|runs|running ~2 DANGERTOOL
		preceded|followed by ~1 DANGERTOOL
		run of ~1 DANGERTOOL`},
	{"call-with-effect", tool, 30, true, "sends the model to a tool of another server that changes something", `
		CALLING ~3 EFFECTTOOL
		run|runs|running ~2 EFFECTTOOL
		preceded|followed by ~1 EFFECTTOOL
		by|through|with|via ~1 EFFECTTOOL
		to|into ~1 EFFECTTOOL
		run of ~1 EFFECTTOOL`},
	{"other-tool-retired", tool, 25, true, "says that another tool is no longer to be used", `
		OTHERTOOL ~3 deprecated|replaced|obsolete|renamed|retired|superseded|discontinued|removed|unavailable|broken`},
	{"other-tool-changed", tool, 70, true, "speaks of how another tool works now", `
		OTHERTOOL ~1 TOOLNOUN ~2 has|have|is|are|was|will|must|should|now ~3 UPGRADED
		OTHERTOOL ~2 has|have|is|are|was ~3 been ~2 UPGRADED
		OTHERTOOL ~1 TOOLNOUN was|is|are ~1 UPGRADED
		OTHERTOOL ~2 is now|insecure|unsafe|disabled|untrusted|compromised
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
		OTHERTOOL ~4 will|shall|must|should be ~1 limited|restricted|redirected|replaced|routed
		OTHERTOOL ~1 is|are known ~1 to
		OTHERTOOL ~2 corrupts|damages|loses|fails|leaks|returns stale|wrong|incorrect|outdated
		tools|tool of|from ~3 server ~3 must|should|have|has|need
		NEG ~1 use ~2 OTHERTOOL ~6 any ~0 more|longer
		of ~1 OTHERTOOL ~3 should|must|has|have ~2 include|contain|carry
		OTHERTOOL ~1 will|should|must ~1 always|automatically|only|never
		OTHERTOOL ~0 TOOLNOUN ~1 DESTROY|SEND|REPLACE
		OTHERTOOL ~1 has|have adopted|received|gained|learned|moved|switched|got
		OTHERTOOL TOOLNOUN shall|now`},
	{"other-tool-trigger", tool, 55, true, "waits for the use of another tool", `
		WHEN ~5 OTHERTOOL ~4 is|are|gets|becomes|been ~3 available|present|called|used|invoked|installed|loaded|enabled|executed|requested|needed|chosen|selected|wanted
		time ~3 OTHERTOOL
		WHEN ~2 OTHERTOOL ~1 TOOLNOUN ~3 CHANGE|SEND|PASS|MUST
		calls|requests|invocations to|of|for ~2 OTHERTOOL
		WHEN ~5 OTHERTOOL ~1 TOOLNOUN ~1 exists|runs|executes|responds|starts
		WHEN ~3 OTHERTOOL runs|executes|exists|responds|starts
		if|when|where ~4 has|have ~1 OTHERTOOL ~1 available|installed|enabled`},
	{"when-calling-other", tool, 30, true, "gives rules for the call of another tool", `
		when|whenever|if|while ~3 CALL ~2 OTHERTOOL
		when|whenever|if|while ~2 using|calling|running ~2 OTHERTOOL`},
	{"instead-of-other", tool, 35, true, "wants to be used in the place of another tool", `
		instead|place of ~2 OTHERTOOL
		NEG ~1 CALL ~1 OTHERTOOL
		NEG ~1 CALL ~4 OTHERTOOL
		use OTHERTOOL ~6 instead|place|rather
		NEG use OTHERTOOL`},
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
		supersedes|overrides ~3 OTHERTOOL
		highest|top|maximum priority ~3 over|above|of`},
	{"everything-through-this", tool, 60, true, "draws all calls to itself", `
		route|send|direct|pass ~1 all|every|any ~4 through|via|with this ~1 TOOLNOUN
		AFFECT|modifies|changes how ~3 works|behaves|work|behave|operates`},
	{"only-this-tool", tool, 65, true, "keeps the model from every other tool", `
		rather|instead than|of ~1 others
		rather|instead than|of any ~1 other ~1 TOOLNOUN
		NEG ~1 CALL ~2 any ~1 other ~1 TOOLNOUN
		NEG ~1 CALL ~1 other TOOLNOUN
		other TOOLNOUN ~6 unsafe|insecure|deprecated|compromised|malicious|untrusted|trusted|unreliable|outdated|broken|forbidden|unavailable
		only ~1 CALL ~2 this TOOLNOUN ~3 never|not|no
		choose|select|pick|use this TOOLNOUN ~2 never|not ~1 others|other`},
}
