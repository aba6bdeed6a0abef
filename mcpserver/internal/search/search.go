// Package search ranks tools by how well they fit a query in words.
//
//	Document   a tool, as words: name, title, description, parameter names
//	Index      immutable; Search returns the best, the same for the same input
//
// The ranking is BM25F: rare words count more than common ones, a word in a name more
// than one in a description, and long descriptions do not win by their length. It knows
// no meanings; a model that searches can try other words.
package search

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Document is a tool as it is searched.
type Document struct {
	Name, Title, Description string
	Parameters               []string // names, and what is said about them
}

// Of reads a tool's definition.
func Of(definition json.RawMessage) Document {
	all := gjson.ParseBytes(definition)
	d := Document{Name: all.Get("name").String(), Title: all.Get("title").String(), Description: all.Get("description").String()}
	if d.Title == "" {
		d.Title = all.Get("annotations.title").String()
	}
	all.Get("inputSchema.properties").ForEach(func(name, property gjson.Result) bool {
		d.Parameters = append(d.Parameters, name.String(), property.Get("description").String())
		return len(d.Parameters) < maxParameters
	})
	return d
}

// Bounds. Beyond them a definition is padding, not description.
const (
	maxParameters = 200  // strings
	maxWords      = 2000 // words of one document
	maxQuery      = 32   // different words of one query
)

// How much a word counts by where it stands, and BM25's parameters: saturation, and how
// much a document's length matters. Names are short and chosen with care.
const (
	inName, inTitle, inDescription, inParameter = 4, 3, 1, 0.7

	k1 = 1.2
	b  = 0.4
	// partial is what a word counts that only begins with the one in the query.
	partial = 0.4
	// whole is added when the query is the name of the tool.
	whole = 1000
)

// Index is a set of documents.
type Index struct {
	documents []Document
	lengths   []float64
	mean      float64
	words     []string // sorted
	postings  map[string][]posting
}

type posting struct {
	document int
	weight   float64
}

// New returns the index of documents.
func New(documents []Document) *Index {
	x := &Index{documents: slices.Clone(documents), lengths: make([]float64, len(documents)), postings: map[string][]posting{}}
	slices.SortStableFunc(x.documents, func(a, b Document) int { return strings.Compare(a.Name, b.Name) })
	sum := 0.0
	for i, d := range x.documents {
		weights := map[string]float64{}
		left := maxWords
		add := func(text string, weight float64) {
			for _, w := range words(text, left) {
				weights[w] += weight
				x.lengths[i] += weight
				left--
			}
		}
		add(d.Name, inName)
		add(d.Title, inTitle)
		add(d.Description, inDescription)
		for _, p := range d.Parameters {
			add(p, inParameter)
		}
		for w, weight := range weights {
			x.postings[w] = append(x.postings[w], posting{i, weight})
		}
		sum += x.lengths[i]
	}
	x.mean = sum / float64(max(1, len(documents)))
	for w := range x.postings {
		x.words = append(x.words, w)
	}
	slices.Sort(x.words)
	return x
}

// Search returns the names of the documents that fit a query, the best first, and how
// many there are in all.
func (x *Index) Search(query string, most int) (names []string, all int) {
	asked := words(query, 4*maxQuery)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	asked = asked[:min(len(asked), maxQuery)]
	scores := make([]float64, len(x.documents))
	met := make([]int, len(x.documents))
	best := make([]float64, len(x.documents)) // of one word of the query
	for _, w := range asked {
		var touched []int
		for _, known := range x.from(w) {
			factor := 1.0
			if known != w {
				factor = partial
			}
			list := x.postings[known]
			idf := math.Log(1 + (float64(len(x.documents))-float64(len(list))+0.5)/(float64(len(list))+0.5))
			for _, p := range list {
				norm := k1 * (1 - b + b*x.lengths[p.document]/x.mean)
				score := factor * idf * p.weight * (k1 + 1) / (p.weight + norm)
				if best[p.document] == 0 {
					touched = append(touched, p.document)
				}
				best[p.document] = max(best[p.document], score)
			}
		}
		for _, i := range touched {
			scores[i] += best[i]
			met[i]++
			best[i] = 0
		}
	}
	var found []int
	for i := range scores {
		if strings.EqualFold(strings.TrimSpace(query), x.documents[i].Name) {
			scores[i] += whole
		}
		if scores[i] > 0 {
			// What answers all of a query goes before what answers one word of it well.
			scores[i] *= 0.5 + 0.5*float64(met[i])/float64(max(1, len(asked)))
			found = append(found, i)
		}
	}
	slices.SortFunc(found, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	for _, i := range found[:min(len(found), most)] {
		names = append(names, x.documents[i].Name)
	}
	return names, len(found)
}

// maxBeginnings bounds the words that begin with one of a query.
const maxBeginnings = 50

// from returns the known words that are w or, for three letters and more, begin with it.
func (x *Index) from(w string) []string {
	at, exact := slices.BinarySearch(x.words, w)
	if len(w) < 3 {
		if exact {
			return x.words[at : at+1]
		}
		return nil
	}
	end := at
	for end < len(x.words) && end-at < maxBeginnings && strings.HasPrefix(x.words[end], w) {
		end++
	}
	return x.words[at:end]
}
