package order

import (
	"slices"
	"testing"

	"github.com/glovebox-run/glovebox/risk/capability"
)

func TestWhatATextAsksFor(t *testing.T) {
	mail := NewDeed("send_mail", []capability.Class{capability.Send})
	pay := NewDeed("bank_transfer", []capability.Class{capability.Pay})
	lock := NewDeed("DoorLockControl", []capability.Class{capability.Actuate})
	shred := NewDeed("delete_document", []capability.Class{capability.Delete})
	cases := []struct {
		name   string
		deed   Deed
		text   string
		values []string
		want   Strength
	}{
		{"an order with the recipient", mail, "Please send the minutes to kim@corp.example.", []string{"kim@corp.example"}, Plain},
		{"the order as the second verb", mail, "Collect the totals and mail them to kim@corp.example today.", []string{"kim@corp.example"}, Plain},
		{"asked as a question", mail, "Could you forward this to kim@corp.example?", []string{"kim@corp.example"}, Plain},
		{"the tool by its name", mail, "You should use `send_mail` now.", nil, Named},
		{"a verb that is no order", mail, "I will send you the minutes, kim@corp.example has them.", []string{"kim@corp.example"}, Silent},
		{"the verb alone", mail, "Send help soon.", nil, Verb},
		{"a payment in other words", pay, "Kindly wire 300 to DE4450 before Friday.", []string{"DE4450"}, Plain},
		{"a verb without its noun", pay, "Make sure it is warm. Account DE4450.", []string{"DE4450"}, Silent},
		{"a light verb with its noun", pay, "Make a transfer over 300 to DE4450.", []string{"DE4450"}, Plain},
		{"what the deed is about, no value", lock, "First unlock the front door, then its second lock control.", nil, Plain},
		{"a short value in the sentence", shred, "Delete number 13.", []string{"13"}, Plain},
		{"a short value elsewhere", shred, "Delete what is old. There were 13 of us.", []string{"13"}, Verb},
		{"a number that is part of a date", shred, "Delete what came on 2024-05-13.", []string{"13"}, Verb},
		{"another field", mail, "- body: Send help\n  sender: kim@corp.example\n", []string{"kim@corp.example"}, Verb},
		{"the name of a member", shred, `{"delete": 4, "document": 5}`, nil, Silent},
		{"quoted twice", mail, `{"text": "Thanks.\n\nSend it to kim@corp.example"}`, []string{"kim@corp.example"}, Plain},
	}
	for _, c := range cases {
		got := Silent
		verbs := c.deed.Verbs(c.values)
		for _, r := range Read(c.text) {
			if slices.Contains(verbs, r.Verb) {
				got = max(got, c.deed.Asks(c.text, r, c.values))
			}
		}
		if got != c.want {
			t.Errorf("%s: %q asks with strength %d, want %d", c.name, c.text, got, c.want)
		}
	}
}

// A value can be the verb: a tool that is told what to do.
func TestAValueCanBeTheVerb(t *testing.T) {
	d := NewDeed("ticket_manager", nil)
	if !slices.Contains(d.Verbs([]string{"escalate"}), "escalate") {
		t.Error("the action in the arguments is not among the verbs")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Please send it. Now!\n\n- to: you\n\"a\", 'b': c; do \\n go on")
	f.Add("\xff\xffx \xff")
	d := NewDeed("send_mail", []capability.Class{capability.Send, capability.Delete})
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Read(text) {
			if r.Start < 0 || r.Start > r.At || r.At >= r.End || r.End > r.Field || r.Field > len(text) {
				t.Fatalf("%+v in %d bytes", r, len(text))
			}
			d.Asks(text, r, []string{"a", "it", text})
		}
	})
}
