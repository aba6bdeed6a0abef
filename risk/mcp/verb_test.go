package mcp

import (
	"testing"
)

func TestPrivilegedScopes(t *testing.T) {
	for _, tc := range []struct {
		scope               string
		default_, reference bool
	}{
		{"admin", true, true},
		{"https://www.googleapis.com/auth/sqlservice.admin", true, true},
		{"Files.ReadWrite.All", true, true},
		{"delete_repo", true, true},
		{"write_all", true, true},
		{"delete:packages", true, false},
		{"repo:delete", true, false},
		{"write:all", true, false},
		{"all", true, false},
		{"*", true, false},
		{"mail:*", true, false},
		{"Sites.FullControl", true, false},
		{"full_access", true, false},
		{"access.full", false, false},
		{"org:administration", true, true},
		{"jira.administrator", true, true},
		{"administer:jira", true, true},
		{"superuser", true, false},
		{"system:root", true, false},
		{"sudo", true, false},
		{"cache:purge", true, false},
		{"stack.destroy", true, false},
		{"аdmin", true, false}, // the first letter is Cyrillic
		{"calendar.allowed", false, true},
		{"badminton.read", false, true},
		{"undelete_item", false, true},
		{"repo", false, false},
		{"read:org", false, false},
		{"offline_access", false, false},
		{"rootcause.read", false, false},
		{"", false, false},
	} {
		if got := privilegedScope(Default, tc.scope) != ""; got != tc.default_ {
			t.Errorf("%q: default says %v", tc.scope, got)
		}
		if got := privilegedScope(Reference, tc.scope) != ""; got != tc.reference {
			t.Errorf("%q: reference says %v", tc.scope, got)
		}
	}
}

func TestIrreversibleVerbs(t *testing.T) {
	for _, tc := range []struct {
		name                          string
		untrusted, trusted, reference bool
	}{
		{"delete_file", true, true, true},
		{"deleteFile", true, true, false},
		{"DeleteFile", true, true, false},
		{"github_delete_repo", true, true, false},
		{"repo.delete", true, true, false},
		{"deletefile", true, true, false},
		{"dеlete_file", true, true, false}, // a Cyrillic е
		{"d\u200belete_file", true, true, false},
		{"find_and_delete", true, true, false},
		{"bulkRemoveUsers", true, true, false},
		{"HTTPDeleteObject", true, true, false},
		{"db_drop_table", true, true, false},
		{"format_disk", true, true, false},
		{"empty_trash", true, true, false},
		{"force-push-branch", true, true, true},
		{"forcePush", true, true, true},
		{"fоrcepush", true, true, false}, // a Cyrillic о
		{"get_delete_status", true, false, false},
		{"list_remove_requests", true, false, false},
		{"drop_zone", true, true, true},
		{"price_drop_alerts", false, false, false},
		{"drop", false, false, false},
		{"set_format", false, false, false},
		{"dropdown_list", false, false, false},
		{"list_deleted_items", false, false, false},
		{"undelete_file", false, false, false},
		{"create_droplet", false, false, false},
		{"format_text", false, false, false},
		{"reset_password", false, false, false},
		{"armor", false, false, false},
		{"", false, false, false},
	} {
		if got := irreversibleVerb(Default, tc.name, false) != ""; got != tc.untrusted {
			t.Errorf("%q of an untrusted server: %v", tc.name, got)
		}
		if got := irreversibleVerb(Default, tc.name, true) != ""; got != tc.trusted {
			t.Errorf("%q of a trusted server: %v", tc.name, got)
		}
		if got := irreversibleVerb(Reference, tc.name, false) != ""; got != tc.reference {
			t.Errorf("%q in the reference: %v", tc.name, got)
		}
	}
}
