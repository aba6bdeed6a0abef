package catalog

import "slices"

// Code is the stable class of a problem, by the layer that found it.
type Code string

const (
	SpecParse       Code = "SPEC_PARSE"        // the text is not JSON, or not of the schema's shape
	SpecInvariant   Code = "SPEC_INVARIANT"    // fields contradict each other, or another document
	ResolverReject  Code = "RESOLVER_REJECT"   // the document conflicts with the operator's policy
	LocalPassFailed Code = "LOCAL_PASS_FAILED" // the tool failed its own test run
	InvalidArgument Code = "INVALID_ARGUMENT"  // a call's arguments do not fit the declared parameters
)

// Rule is one check. Ids are never reused for another check.
type Rule struct {
	ID      string
	Code    Code
	Warning bool   // a breach does not make a document invalid
	Summary string // what must hold, for lists of rules

	// InSchema says that the published JSON Schema states the rule as well.
	InSchema bool
}

type ruleIndex uint8

const (
	ruleSyntax ruleIndex = iota
	ruleTooLarge
	ruleCodeTooLarge
	ruleCodeSyntax
	ruleCodeReader
	ruleSurrogate
	ruleDuplicateMember
	ruleMissing
	ruleType
	ruleEmpty
	ruleValue
	ruleRange
	ruleUnknownMember
	ruleStaticShape
	ruleHelperForm
	ruleTooMany

	ruleTestValueMissing
	ruleParamDuplicate
	ruleClassConflict
	ruleToolIDTwice
	ruleNameTwice

	ruleClassOverlap
	ruleHelperUnavailable
	ruleVersionUnavailable

	ruleTestValueType
	rulePassRefused
	rulePassChanged

	ruleArgumentsSyntax
	ruleArgumentMissing
	ruleArgumentType
	ruleArgumentRange
	ruleArgumentDuplicate
	ruleArgumentUndeclared
)

var rules = [...]Rule{
	ruleSyntax:          {ID: "syntax", Code: SpecParse, Summary: "a spec is one JSON object in UTF-8"},
	ruleTooLarge:        {ID: "too-large", Code: SpecParse, Summary: "a document stays under the size limit"},
	ruleCodeTooLarge:    {ID: "code-too-large", Code: SpecInvariant, Summary: "the code has at most 2,097,152 bytes and compiles within a budget that grows with its size"},
	ruleCodeSyntax:      {ID: "code-syntax", Code: SpecInvariant, Summary: "the code is JavaScript, as the body of an async function"},
	ruleCodeReader:      {ID: "code-reader-use", Code: SpecInvariant, Warning: true, Summary: "what json() and the other readers of a response give is used as a value or as a promise, not as both"},
	ruleSurrogate:       {ID: "half-surrogate", Code: SpecParse, Summary: "a string holds only whole Unicode characters"},
	ruleDuplicateMember: {ID: "duplicate-member", Code: SpecParse, Summary: "a field stands once in its object"},
	ruleMissing:         {ID: "field-missing", Code: SpecParse, Summary: "required fields are present and not null", InSchema: true},
	ruleType:            {ID: "field-type", Code: SpecParse, Summary: "a field has its JSON type", InSchema: true},
	ruleEmpty:           {ID: "field-empty", Code: SpecParse, Summary: "names and identifiers are not empty", InSchema: true},
	ruleValue:           {ID: "field-value", Code: SpecParse, Summary: "a word comes from its list", InSchema: true},
	ruleRange:           {ID: "field-range", Code: SpecParse, Summary: "a timestamp is a whole number of milliseconds from 0 to 2^53-1", InSchema: true},
	ruleUnknownMember:   {ID: "unknown-member", Code: SpecParse, Summary: "closed objects hold only known fields", InSchema: true},
	ruleStaticShape:     {ID: "static-variable-shape", Code: SpecParse, Summary: "a static variable is an object with exactly one entry", InSchema: true},
	ruleHelperForm:      {ID: "helper-form", Code: SpecParse, Summary: "a helper is written namespace/vN or bundle/vN#group", InSchema: true},
	ruleTooMany:         {ID: "too-many-problems", Code: SpecParse, Summary: "the list of problems is complete"},

	ruleTestValueMissing: {ID: "test-value-missing", Code: SpecInvariant, Summary: "a required parameter has a testValue", InSchema: true},
	ruleParamDuplicate:   {ID: "param-duplicate", Code: SpecInvariant, Summary: "parameter names are unique"},
	ruleClassConflict:    {ID: "class-conflict", Code: SpecInvariant, Summary: "a document does not allow and deny the same class"},
	ruleToolIDTwice:      {ID: "tool-id-duplicate", Code: SpecInvariant, Summary: "no two specs have the same toolId"},
	ruleNameTwice:        {ID: "name-duplicate", Code: SpecInvariant, Summary: "no two specs that are not drafts have the same name"},

	ruleClassOverlap:       {ID: "class-overlap", Code: ResolverReject, Summary: "no class is both allowed and denied after the merge with the baseline"},
	ruleHelperUnavailable:  {ID: "helper-unavailable", Code: ResolverReject, Summary: "declared helpers exist in this runtime"},
	ruleVersionUnavailable: {ID: "version-unavailable", Code: ResolverReject, Summary: "toolSafety.version has a major version this runtime reads"},

	ruleTestValueType: {ID: "test-value-type", Code: LocalPassFailed, Summary: "a testValue reads as its parameter's type"},
	rulePassRefused:   {ID: "pass-refused", Code: LocalPassFailed, Summary: "a key of specs.pass_keys signed the passes beside the specs, and they count"},
	rulePassChanged:   {ID: "pass-changed", Code: LocalPassFailed, Summary: "a tool is what passed, where signed passes name it"},

	ruleArgumentsSyntax:    {ID: "arguments-syntax", Code: InvalidArgument, Summary: "arguments are one JSON object"},
	ruleArgumentMissing:    {ID: "argument-missing", Code: InvalidArgument, Summary: "required arguments are present and not null"},
	ruleArgumentType:       {ID: "argument-type", Code: InvalidArgument, Summary: "an argument has its parameter's type"},
	ruleArgumentRange:      {ID: "argument-range", Code: InvalidArgument, Summary: "a number is one JavaScript can hold"},
	ruleArgumentDuplicate:  {ID: "argument-duplicate", Code: InvalidArgument, Summary: "an argument is given once"},
	ruleArgumentUndeclared: {ID: "argument-undeclared", Code: InvalidArgument, Warning: true, Summary: "arguments are declared parameters; others do not reach the tool"},
}

// Rules lists what this package checks, in a fixed order.
func Rules() []Rule { return slices.Clone(rules[:]) }
