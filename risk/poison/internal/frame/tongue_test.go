package frame

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

// A word that is an order in one language is none in a sentence of another.
func TestASentenceIsReadInItsLanguage(t *testing.T) {
	for _, c := range []struct {
		text string
		not  Set
	}{
		{"Elenco dei prodotti di una categoria, in ordine di prezzo.", Of(Say)},         // Spanish di
		{"Los horarios de las líneas y las paradas que hay en la ciudad.", Of(Read)},    // Danish læs
		{"Les horaires du bus et de la navette pour une gare.", Of(You)},                // Danish du
		{"Daftar buku di perpustakaan yang tersedia untuk anggota.", Of(Say)},           // Spanish di
		{"Die Aufträge werden nach dem Datum und der Nummer sortiert.", Of(Told, Send)}, // another werden
	} {
		if got := has(c.text); got.Any(c.not) {
			t.Errorf("%s: %v", c.text, slices.Collect(got.Each))
		}
	}
}

// A sentence with few function words is read in all languages, whatever stands around it.
func TestShortSentencesAreReadInAllLanguages(t *testing.T) {
	lexicon, err := compile(fstest.MapFS{
		"lexicon/aa.txt": {Data: []byte("function: lo po ke\nsay: di\n")},
		"lexicon/bb.txt": {Data: []byte("function: ru ma di\nread: lumo\n")},
		"lexicon/cc.txt": {Data: []byte("send: отправь\n")}, // no function words: always read
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &Reader{lexicon: lexicon}
	for text, want := range map[string][]Set{
		"Lo po ke di lumo.":                     {Of(Say)},
		"Ru ma di lumo.":                        {Of(Read)},
		"Lo po ke lo po ke. Di lumo.":           {{}, Of(Say, Read)},
		"Ru ma di ru ma di. Di lumo.":           {{}, Of(Say, Read)},
		"Tano lumo tano.":                       {Of(Read)},
		"Lo po ke отправь lumo.":                {Of(Send)},
		"Ru ma di lumo. Lo po ke di lumo lo po": {Of(Read), Of(Say)},
	} {
		v, _ := glyph.Reveal(text)
		var got []Set
		for _, s := range r.Read(v.Text, nil) {
			got = append(got, s.Has)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestThereIsABitForEveryLanguage(t *testing.T) {
	many := fstest.MapFS{}
	for n := range maxTongues + 1 {
		many["lexicon/"+strings.Repeat("a", n+1)+".txt"] = &fstest.MapFile{Data: []byte("say: word\n")}
	}
	if _, err := compile(many); err == nil {
		t.Error("65 languages share 64 bits")
	}
}
