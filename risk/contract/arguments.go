package contract

import (
	"errors"
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/risk/contract/pyjson"
)

// ArgumentKind says what a command-line argument takes.
type ArgumentKind uint8

const (
	TextArgument   ArgumentKind = iota // any text; an empty one counts as not given
	HintArgument                       // a yes or no word
	SwitchArgument                     // no value: it turns its field on and cannot clear it
)

// Argument is one field of a request as a command line names it: in snake_case
// here, with dashes there.
type Argument struct {
	Name  string
	Kind  ArgumentKind
	Usage string
}

const approvalArgument = "human_approval_id"

var arguments = [...]Argument{
	{"workflow_id", TextArgument, "workflow the call belongs to; without it the workflow is not checked"},
	{"agent_id", TextArgument, "agent that proposes the call (repeated in the answer)"},
	{"run_id", TextArgument, "run of the workflow (repeated in the answer)"},
	{"connector_id", TextArgument, "connector, used when the namespace is not registered"},
	{"namespace", TextArgument, "namespace of the tool"},
	{"tool_name", TextArgument, "name of the tool (repeated in the answer)"},
	{"requested_access_mode", TextArgument, "read, write_branch, write_ticket or approval_required; without it the mode is not checked"},
	{"gate_phase", TextArgument, "gate phase (repeated in the answer)"},
	{"annotation_source", TextArgument, "where the hints come from (repeated in the answer)"},
	{"session_id", TextArgument, "session (repeated in the answer)"},
	{"correlation_id", TextArgument, "correlation id (repeated in the answer)"},
	{"policy_pack_hash", TextArgument, "accepted; decides nothing"},
	{"authorization_pack_hash", TextArgument, "accepted; decides nothing"},
	{"runtime_kill_signal", TextArgument, "any text here kills the session"},
	{approvalArgument, TextArgument, "id of an approval that was given; replaces the request's approval record"},
	{"read_only_hint", HintArgument, "readOnlyHint of the tool: true or false"},
	{"destructive_hint", HintArgument, "destructiveHint of the tool: true or false"},
	{"idempotent_hint", HintArgument, "idempotentHint of the tool: true or false"},
	{"open_world_hint", HintArgument, "openWorldHint of the tool: true or false"},
	{"server_trusted", SwitchArgument, "the caller vouches for the server"},
	{"session_reads_private_data", SwitchArgument, "the session has read private data"},
	{"session_sees_untrusted_content", SwitchArgument, "the session has seen untrusted content"},
	{"session_can_exfiltrate", SwitchArgument, "the session has a way out"},
	{"contains_secret", SwitchArgument, "kill: the arguments hold a secret"},
	{"tool_list_changed_after_approval", SwitchArgument, "kill: the tool list changed after it was approved"},
	{"private_network_destination", SwitchArgument, "kill: the call goes to a private or metadata address"},
}

// Arguments lists the arguments in the order a help text should show them.
func Arguments() []Argument { return slices.Clone(arguments[:]) }

// hintArguments are the hint arguments in the order of hintMembers.
var hintArguments = [4]string{"read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"}

// ParseArguments reads a request from a request document, overridden by a JSON
// object of command-line arguments. An unknown argument or one of the wrong type is
// an error; null counts as not given.
func ParseArguments(document, args []byte) (Request, error) {
	base, err := pyjson.Parse(document)
	if err != nil {
		return Request{}, fmt.Errorf("%w: %w", ErrInvalidRequest, err)
	}
	over, err := pyjson.Parse(args)
	if err != nil {
		return Request{}, fmt.Errorf("%w: %w", ErrInvalidRequest, err)
	}
	return overlayArguments(base, over)
}

func overlayArguments(base, args pyjson.Value) (Request, error) {
	if base.Kind != pyjson.Object || args.Kind != pyjson.Object {
		return Request{}, fmt.Errorf("%w: want a JSON object", ErrInvalidRequest)
	}
	request := base.Clone()
	request.Names = slices.Grow(request.Names, len(args.Names))
	request.Items = slices.Grow(request.Items, len(args.Names))
	for i, name := range args.Names {
		if err := setArgument(&request, name, args.Items[i]); err != nil {
			return Request{}, fmt.Errorf("%w: %s: %w", ErrInvalidRequest, name, err)
		}
	}
	return normalise(request)
}

func setArgument(request *pyjson.Value, name string, v pyjson.Value) error {
	kind, known := argumentKind(name)
	switch {
	case !known:
		return errors.New("no such argument")
	case v.Kind == pyjson.Null:
		return nil
	case kind == HintArgument:
		said, err := hintWord(v)
		if err != nil {
			return err
		}
		annotations := request.Get(annotationsMember).Clone()
		annotations.Set(hintMembers[slices.Index(hintArguments[:], name)], pyjson.OfBool(said))
		request.Set(annotationsMember, annotations)
		return nil
	case kind == SwitchArgument:
		if v.Kind != pyjson.Bool {
			return errors.New("want true or false")
		}
		if !v.Truth {
			return nil
		}
	case v.Kind != pyjson.Text:
		return errors.New("want a text")
	case v.Text == "":
		return nil
	case name == approvalArgument:
		request.Set(approvalMember, pyjson.Value{
			Kind:  pyjson.Object,
			Names: []string{"id", "decision"},
			Items: []pyjson.Value{v, pyjson.OfText("approved")},
		})
		return nil
	}
	request.Set(name, v)
	return nil
}

func argumentKind(name string) (ArgumentKind, bool) {
	for i := range arguments {
		if arguments[i].Name == name {
			return arguments[i].Kind, true
		}
	}
	return 0, false
}

func hintWord(v pyjson.Value) (bool, error) {
	switch {
	case v.Kind == pyjson.Bool:
		return v.Truth, nil
	case v.Kind == pyjson.Text && pyjson.IsYes(v.Text):
		return true, nil
	case v.Kind == pyjson.Text && pyjson.IsNo(v.Text):
		return false, nil
	}
	return false, errors.New("want 1, true, yes, y, on or 0, false, no, n, off")
}
