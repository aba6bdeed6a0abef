package score

import "github.com/glovebox-run/glovebox/risk/capability"

// agreement says when the hard fails of this profile are certain.
const agreement = " Certain if name and text agree, and anybody may call it or readOnlyHint denies it."

// refinements replace published rules in the refined profile. Category, severity,
// weight, stage and advice stay; what passes is decided by reading. Texts that are
// empty stay too.
var refinements = []Row{
	{Refines: "no_public_code_execution_tools", Revision: 3, check: read(can(nil, capability.RunCode, capability.RunShell), speaks(execution)),
		Summary: "No tool reads as running code or commands." + agreement, Mistakes: "Interpreters that are sealed, which a definition cannot show."},
	{Refines: "no_public_credential_access_tools", Revision: 3, check: read(can(yieldsSecret, capability.ReadSecret), takesSecrets, speaks(credential)),
		Summary: "No tool reads as handing out credentials." + agreement, Mistakes: "Metadata of secrets that is called like the secrets."},
	{Refines: "no_public_filesystem_write_tools", Revision: 3, check: read(can(writesAnywhere, capability.WriteFile), speaks(fileWriting)),
		Summary: "No tool reads as writing files at a path of the caller's choice." + agreement, Mistakes: "Servers that are confined to one folder, which a definition cannot show."},
	{Refines: "no_public_admin_control_tools", Revision: 3, check: read(can(administers, capability.Grant), saysAttack, breaksIn, speaks(administration)),
		Summary: "No tool reads as changing rights, or says that it attacks." + agreement, Mistakes: "Sharing a document with a colleague."},
	{Refines: "no_public_destructive_tools", Revision: 3, check: claims(nil, capability.Delete, capability.Destroy),
		Summary: "No tool reads as deleting something.", Mistakes: "Deleting what the tool itself has made, such as a draft."},
	{Refines: "no_public_financial_action_tools", Revision: 3, check: claims(nil, capability.Pay),
		Summary: "No tool reads as spending or moving money.", Mistakes: "Test accounts."},
	{Refines: "no_public_send_message_tools", Revision: 3, check: claims(sendsToSomebody, capability.Send),
		Summary: "No tool reads as sending something to people or services.", Mistakes: "Messages to the user alone."},
	{Refines: "no_public_network_access_tools", Revision: 3, check: sendsSomewhere,
		Summary: "No tool reads as requesting an address that an argument names.", Mistakes: "Addresses that the server compares with a list."},
	{Refines: "prompt_injection_surface", Revision: 3, check: promptSurfaceRead,
		Summary: "No unbounded text is run as a command, code or statement, or obeyed as a prompt.", Mistakes: "Prompts of generators of images."},
	{Refines: "no_tool_description_manipulation", Revision: 3, HardFail: true, check: read(ordered, dictates),
		Summary: "No text of a tool, its schema included, gives orders to the model.", Mistakes: "About 1 in 200 honest tools; see docs/poisoning.md."},
	{Refines: "tool_annotations_consistent", Revision: 3, check: annotationsRead,
		Summary: "The hints contradict neither each other nor what the tool reads as.", Mistakes: "Definitions that describe more than the tool does."},
	{Refines: "destructive_tools_declare_destructive_hint", Revision: 3, check: declaresDestructiveRead,
		Summary: "Every tool that reads as destructive sets destructiveHint.", Mistakes: "Sending and paying, which some do not call destructive."},
	{Refines: "no_dangerous_resource_uris", check: dangerousURIsRead,
		Summary: "No resource is a local file, plain http, an internal host or a scheme that reaches outside.", Mistakes: "Servers of local files."},
	{Refines: "no_description_injection", check: descriptionInjectionRead,
		Summary: "No description contains script links, tags that load something or addresses of strangers that are not https.", Mistakes: "Old documentation that has moved to https."},
	{Refines: "initialize_instructions_no_injection", check: instructionsRead,
		Summary: "The server's instructions contain neither that nor orders that do not concern its own tools."},
	{Refines: "no_resource_or_prompt_injection", check: entriesRead,
		Summary: "The entries of resources and prompts contain neither that nor orders to the model."},
	{Refines: "resource_contents_no_injection", check: contentsRead,
		Summary: "The resources that were read contain neither that nor orders to the model."},
	{Refines: "no_pii_keywords_in_tool_surface", check: personalRead,
		Summary: "No name or description of a tool mentions personal data."},
	{Refines: "all_tools_have_input_schema", check: haveSchemasRead,
		Summary: "Every tool describes its arguments, or says that it has none.", Mistakes: "Tools that were written before schemas were expected."},
	{Refines: "no_broad_schema_risk", check: notBroadRead,
		Summary: "No schema admits any argument or any object.", Mistakes: "Metadata that the user defines."},
	{Refines: "tool_descriptions_unique_across_servers", check: uniqueElsewhereRead,
		Summary: "No server of another name has a tool with the same description.", Mistakes: "Forks that were renamed."},
}
