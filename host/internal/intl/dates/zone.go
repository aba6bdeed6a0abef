package dates

import (
	"fmt"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // every IANA zone is in the binary

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
)

// zoneNames finds CLDR's spelling of a zone from its name in lower case.
var zoneNames = sync.OnceValues(func() (map[string]string, error) {
	w, err := cldr.World()
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(w.ZoneAliases))
	for name, canonical := range w.ZoneAliases {
		names[strings.ToLower(name)] = canonical
	}
	return names, nil
})

// loadZone finds a zone by name, in any case, or by offset, and the name that it
// is reported under.
func loadZone(name string) (*time.Location, string, error) {
	if name == "" || len(name) > 64 {
		return nil, "", invalidZone(name)
	}
	if name[0] == '+' || name[0] == '-' {
		return offsetZone(name)
	}
	names, err := zoneNames()
	if err != nil {
		return nil, "", err
	}
	canonical, ok := names[strings.ToLower(name)]
	if !ok || canonical == "Etc/Unknown" {
		return nil, "", invalidZone(name)
	}
	switch canonical {
	case "Etc/UTC", "Etc/GMT":
		return time.UTC, "UTC", nil
	}
	// An old name that the tz database has kept with its own history, "EST", or one
	// that only CLDR knows.
	zone, err := time.LoadLocation(canonical)
	if err != nil {
		return nil, "", invalidZone(name)
	}
	return zone, canonical, nil
}

// offsetZone reads "+09:00", "-0330" and "+09".
func offsetZone(text string) (*time.Location, string, error) {
	digits := strings.Replace(text[1:], ":", "", 1)
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return nil, "", invalidZone(text)
		}
	}
	colon := strings.IndexByte(text, ':')
	if len(digits) != 2 && len(digits) != 4 || colon >= 0 && (colon != 3 || len(digits) != 4) {
		return nil, "", invalidZone(text)
	}
	digits += "00"
	hours, minutes := int(digits[0]-'0')*10+int(digits[1]-'0'), int(digits[2]-'0')*10+int(digits[3]-'0')
	if hours > 23 || minutes > 59 {
		return nil, "", invalidZone(text)
	}
	seconds := hours*3600 + minutes*60
	sign := text[:1]
	if sign == "-" {
		seconds = -seconds
	}
	if seconds == 0 {
		sign = "+"
	}
	name := fmt.Sprintf("%s%02d:%02d", sign, hours, minutes)
	return time.FixedZone(name, seconds), name, nil
}

// zoneName writes the name of the zone at a time.
func (f *Format) zoneName(it item, t time.Time) string {
	long := it.length >= 4
	switch it.letter {
	case 'O', 'Z', 'V':
		return f.offset(t, long)
	case 'v':
		return f.generic(t, long)
	}
	kind := "standard"
	if summer(t) {
		kind = "daylight"
	}
	if name := f.named(t, kind, long); name != "" {
		return name
	}
	return f.offset(t, long)
}

// summer reports whether clocks are put forward. The tz database has Irish winter
// time as the exception and summer as the rule; CLDR's names are the other way
// round.
func summer(t time.Time) bool {
	start, end := t.ZoneBounds()
	_, offset := t.Zone()
	for _, other := range []time.Time{start.Add(-time.Second), end} {
		if other.IsZero() || start.IsZero() && other.Before(t) || end.IsZero() && other.After(t) {
			continue
		}
		if other.IsDST() != t.IsDST() {
			if _, theirs := other.Zone(); theirs != offset {
				return offset > theirs
			}
		}
	}
	return t.IsDST()
}

func (f *Format) canonicalZone() string {
	if f.Options.TimeZone == "UTC" {
		return "Etc/UTC"
	}
	return f.Options.TimeZone
}

// named is the name of the zone itself, or else of its metazone.
func (f *Format) named(t time.Time, kind string, long bool) string {
	style := func(z cldr.ZoneStyle) string {
		if long {
			return z.Long[kind]
		}
		return z.Short[kind]
	}
	zone := f.canonicalZone()
	if name := style(f.zones.Zones[zone]); name != "" {
		return name
	}
	return style(f.zones.Meta[metazone(zone, t)])
}

// metazone is the group that a zone belonged to at a time.
func metazone(zone string, t time.Time) string {
	w, err := cldr.World()
	if err != nil {
		return ""
	}
	now := t.UTC().Format("2006-01-02 15:04")
	for _, p := range w.ZonePeriods[zone] {
		if (p[1] == "" || now >= p[1]) && (p[2] == "" || now < p[2]) {
			return p[0]
		}
	}
	return ""
}

// generic is the name of a zone summer and winter: that of its metazone, the
// standard one where there is no summer time, or else the place.
func (f *Format) generic(t time.Time, long bool) string {
	zone := f.canonicalZone()
	if zone == "Etc/UTC" {
		return f.offset(t, long)
	}
	if !f.changes(t) {
		if name := f.named(t, "standard", long); name != "" {
			return name
		}
	}
	name := f.named(t, "generic", long)
	w, err := cldr.World()
	if err != nil {
		return name
	}
	if name == "" {
		if strings.HasPrefix(zone, "Etc/") || f.zones.RegionFormat == "" || zone[0] == '+' || zone[0] == '-' {
			return f.offset(t, long)
		}
		return strings.Replace(f.zones.RegionFormat, "{0}", f.place(w, zone), 1)
	}
	// A zone whose clock is not that of the metazone's main zone names its place.
	meta := metazone(zone, t)
	main := w.ZoneOfMeta[meta+"/"+f.Locale.Region()]
	if main == "" {
		main = w.ZoneOfMeta[meta+"/001"]
	}
	if main != "" && main != zone {
		if location, err := time.LoadLocation(main); err == nil {
			_, theirs := t.In(location).Zone()
			if _, ours := t.Zone(); ours != theirs {
				return strings.NewReplacer("{0}", f.place(w, zone), "{1}", name).Replace(f.zones.FallbackFormat)
			}
		}
	}
	return name
}

// changes reports whether the zone has summer time within half a year.
func (f *Format) changes(t time.Time) bool {
	const halfYear = 184 * 24 * time.Hour
	return t.Add(-halfYear).IsDST() || t.IsDST() || t.Add(halfYear).IsDST()
}

// place is the region of a zone that has only the one, otherwise its city.
func (f *Format) place(w *cldr.Supplemental, zone string) string {
	region := w.ZoneTerritory[zone]
	only := true
	for other, r := range w.ZoneTerritory {
		only = only && (r != region || other == zone)
	}
	primary := map[string]string{"DE": "Europe/Berlin", "CN": "Asia/Shanghai", "CL": "America/Santiago", "EC": "America/Guayaquil", "ES": "Europe/Madrid", "MH": "Pacific/Majuro", "MY": "Asia/Kuala_Lumpur", "NZ": "Pacific/Auckland", "PT": "Europe/Lisbon", "UA": "Europe/Kiev", "UZ": "Asia/Tashkent"}
	if region != "" && (only || primary[region] == zone) {
		if names, err := cldr.LoadNames(f.Locale.Data); err == nil && names.Territories[region] != "" {
			return names.Territories[region]
		}
	}
	if city := f.zones.Cities[zone]; city != "" {
		return city
	}
	return strings.ReplaceAll(zone[strings.LastIndexByte(zone, '/')+1:], "_", " ")
}

// offset is "GMT+9" or "GMT+09:00".
func (f *Format) offset(t time.Time, long bool) string {
	_, seconds := t.Zone()
	positive, negative, _ := strings.Cut(f.zones.HourFormat, ";")
	pattern := positive
	if seconds < 0 {
		pattern, seconds = negative, -seconds
	}
	hours, minutes, rest := seconds/3600, seconds/60%60, seconds%60
	sign, _, _ := strings.Cut(pattern, "H")
	_, separator, _ := strings.Cut(strings.ReplaceAll(pattern, "H", "\x00"), "\x00")
	separator = strings.Trim(separator, "\x00m")
	text := sign
	if long {
		text += f.number(hours, 2) + separator + f.number(minutes, 2)
	} else {
		text += f.number(hours, 1)
		if minutes+rest > 0 {
			text += separator + f.number(minutes, 2)
		}
	}
	if rest > 0 {
		text += separator + f.number(rest, 2)
	}
	return strings.Replace(f.zones.GMTFormat, "{0}", text, 1)
}
