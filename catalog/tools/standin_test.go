package tools_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/host"
)

// standin is one server on loopback that answers for every host a tool may ask,
// in the shape that the host's own API documents.
type standin struct {
	server *httptest.Server
	roots  *x509.CertPool
	// answer replaces the documented answers, for odd ones.
	answer http.HandlerFunc
}

func newStandin(t testing.TB, hosts []string, answer http.HandlerFunc) *standin {
	t.Helper()
	s := &standin{answer: answer}
	certificate, roots := certificateFor(t, hosts)
	s.roots = roots
	s.server = httptest.NewUnstartedServer(s)
	s.server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	s.server.StartTLS()
	t.Cleanup(s.server.Close)
	return s
}

// world resolves every name to a public address and dials the stand-in instead.
func (s *standin) world() host.World {
	return host.World{
		RootCAs: s.roots,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
		},
		Dial: func(ctx context.Context, network string, _ netip.AddrPort) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, s.server.Listener.Addr().String())
		},
	}
}

func certificateFor(t testing.TB, hosts []string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "stand-in"}, DNSNames: hosts, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

func (s *standin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.answer != nil {
		s.answer(w, r)
		return
	}
	for _, a := range answers {
		if strings.HasPrefix(r.Host+r.URL.RequestURI(), a.at) {
			if a.requires != "" && !strings.Contains(fmt.Sprint(r.Header)+r.URL.RawQuery, a.requires) {
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprint(w, `{"message":"no credentials"}`)
				return
			}
			kind := "application/json; charset=utf-8"
			switch a.body[0] {
			case '<':
				kind = "text/html; charset=utf-8"
				if strings.HasPrefix(a.body, "<?xml") {
					kind = "application/atom+xml"
				}
			case 'o':
				kind = "text/plain"
			}
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, a.body)
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprint(w, `{"message":"Not Found"}`)
}

// answers are what the APIs answer, by host and the beginning of the path. An
// answer that requires credentials is only given when they were sent.
var answers = []struct{ at, requires, body string }{
	{at: "wttr.in/Seoul", body: `{"current_condition":[{"temp_C":"21","FeelsLikeC":"20","humidity":"40","windspeedKmph":"7","winddir16Point":"NW","precipMM":"0.0","localObsDateTime":"2026-05-01 09:00 AM","weatherDesc":[{"value":"Sunny "}]}],"nearest_area":[{"areaName":[{"value":"Seoul"}],"country":[{"value":"South Korea"}]}],"weather":[{"date":"2026-05-01","mintempC":"12","maxtempC":"23"}]}`},
	{at: "en.wikipedia.org/api/rest_v1/page/summary/QuickJS", body: `{"type":"standard","title":"QuickJS","description":"JavaScript engine","extract":"QuickJS is a small JavaScript engine.","thumbnail":{"source":"https://upload.wikimedia.org/q.png","width":320,"height":320},"content_urls":{"desktop":{"page":"https://en.wikipedia.org/wiki/QuickJS"}}}`},
	{at: "en.wikipedia.org/w/api.php", body: `{"query":{"search":[{"title":"Quick JS","snippet":"A <span class=\"searchmatch\">small</span> engine &amp; more","timestamp":"2026-01-01T00:00:00Z"}]}}`},
	{at: "example.com/", body: `<!doctype html><title>Example Domain</title><meta name="description" content="An example"><nav>menu</nav><main><h1>Example</h1><p>For <a href="/more">illustration</a>.</p><script>x()</script></main>`},
	{at: "api.github.com/repos/golang/go/issues", body: `[{"number":1,"title":"a bug","state":"open","user":{"login":"a"},"labels":[{"name":"bug"}],"comments":2,"created_at":"2026-01-01T00:00:00Z","html_url":"https://github.com/golang/go/issues/1"},{"number":2,"title":"a change","pull_request":{}}]`},
	{at: "api.github.com/repos/golang/go/releases/latest", body: `{"tag_name":"v1","name":"","published_at":"2026-01-01T00:00:00Z","html_url":"https://github.com/golang/go/releases/v1","body":"notes","assets":[{"name":"a.tgz","size":5,"download_count":7,"browser_download_url":"https://github.com/a.tgz"}]}`},
	{at: "api.github.com/repos/golang/go/releases", body: `[{"tag_name":"v1","name":"One","prerelease":false,"draft":false,"published_at":"2026-01-01T00:00:00Z","html_url":"https://github.com/golang/go/releases/v1"}]`},
	{at: "api.github.com/repos/golang/go/contributors", body: `[{"login":"a","contributions":10,"html_url":"https://github.com/a"},{"contributions":3}]`},
	{at: "api.github.com/repos/golang/go/contents/README.md", body: `{"type":"file","path":"README.md","size":6,"encoding":"base64","content":"aGVs\nbG8h\n","html_url":"https://github.com/golang/go/blob/master/README.md"}`},
	{at: "api.github.com/repos/golang/go/contents/src", body: `[{"name":"fmt","type":"dir","size":0}]`},
	{at: "api.github.com/repos/golang/go", body: `{"full_name":"golang/go","description":"The Go programming language","html_url":"https://github.com/golang/go","homepage":"","stargazers_count":5,"forks_count":2,"open_issues_count":1,"language":"Go","license":{"spdx_id":"BSD-3-Clause"},"topics":["go"],"archived":false,"default_branch":"master","created_at":"2014-08-19T04:33:40Z","pushed_at":"2026-01-01T00:00:00Z"}`},
	{at: "api.github.com/users/golang", body: `{"login":"golang","name":"Go","type":"Organization","bio":null,"company":null,"location":null,"html_url":"https://github.com/golang","public_repos":60,"followers":1,"following":0,"created_at":"2009-11-10T00:00:00Z"}`},
	{at: "api.github.com/search/repositories", body: `{"total_count":1,"items":[{"full_name":"a/b","description":null,"stargazers_count":3,"language":"Go","html_url":"https://github.com/a/b"}]}`},
	{at: "hn.algolia.com/api/v1/search", body: `{"hits":[{"objectID":"1","title":"Wasm","url":"https://example.com/wasm","points":10,"num_comments":2,"author":"a","created_at":"2026-01-01T00:00:00Z"}]}`},
	{at: "api.stackexchange.com/2.3/search/advanced", body: `{"items":[{"question_id":1,"owner":{"display_name":"A. &amp; B."},"title":"How to &quot;close&quot; twice?","link":"https://stackoverflow.com/q/1","score":3,"answer_count":1,"is_answered":true,"tags":["go"],"creation_date":1767225600}]}`},
	{at: "export.arxiv.org/api/query", body: `<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>q</title><entry><id>http://arxiv.org/abs/2601.00001v1</id><title>Capability
 security</title><summary> A paper. </summary><published>2026-01-01T00:00:00Z</published><author><name>A. B.</name></author><updated>2026-01-02T00:00:00Z</updated><link rel="alternate" type="text/html" href="http://arxiv.org/abs/2601.00001v1"/><link title="pdf" href="http://arxiv.org/pdf/2601.00001v1"/><arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="cs.CR"/></entry></feed>`},
	{at: "open.er-api.com/v6/latest/USD", body: `{"result":"success","time_last_update_utc":"Fri, 01 May 2026 00:00:01 +0000","rates":{"USD":1,"EUR":0.9}}`},
	{at: "api.coingecko.com/api/v3/simple/price", body: `{"bitcoin":{"usd":100000,"krw":137000000}}`},
	{at: "cdn.jsdelivr.net/gh/mledoze/countries@master/countries.json", body: `[{"name":{"common":"North Korea","official":"Democratic People's Republic of Korea"},"cca2":"KP","cca3":"PRK","capital":["Pyongyang"],"region":"Asia","subregion":"Eastern Asia","area":120538,"languages":{"kor":"Korean"},"currencies":{"KPW":{"name":"North Korean won","symbol":"₩"}},"idd":{"root":"+8","suffixes":["50"]},"flag":"🇰🇵","borders":["CHN","KOR","RUS"],"latlng":[40,127]},{"name":{"common":"South Korea","official":"Republic of Korea"},"cca2":"KR","cca3":"KOR","capital":["Seoul"],"region":"Asia","subregion":"Eastern Asia","area":100210,"languages":{"kor":"Korean"},"currencies":{"KRW":{"name":"South Korean won","symbol":"₩"}},"idd":{"root":"+8","suffixes":["2"]},"flag":"🇰🇷","borders":["PRK"],"latlng":[37,127.5]},{"name":{"common":"Peru","official":"Republic of Peru"},"cca2":"PE","cca3":"PER","capital":["Lima"],"region":"Americas","subregion":"South America","area":1285216,"languages":{"spa":"Spanish"},"currencies":{"PEN":{"name":"Peruvian sol"}},"idd":{"root":"+5","suffixes":["1"]},"flag":"🇵🇪","borders":["BOL"],"latlng":[-10,-76]}]`},
	{at: "ipapi.co/8.8.8.8/json/", body: `{"ip":"8.8.8.8","version":"IPv4","city":"Mountain View","country_name":"United States","country_code":"US","latitude":37.4,"longitude":-122.1,"timezone":"America/Los_Angeles","org":"GOOGLE","asn":"AS15169"}`},
	{at: "date.nager.at/api/v3/PublicHolidays/2026/KR", body: `[{"date":"2026-01-01","localName":"새해","name":"New Year's Day","fixed":true,"global":true,"types":["Public"]}]`},
	{at: "api.open-meteo.com/v1/forecast", body: `{"latitude":37.55,"longitude":127,"timezone":"Asia/Seoul","current":{"temperature_2m":20.5,"relative_humidity_2m":40,"wind_speed_10m":3,"weather_code":1},"daily":{"time":["2026-05-01"],"temperature_2m_min":[12],"temperature_2m_max":[23],"precipitation_sum":[0],"wind_speed_10m_max":[9]},"hourly":{"time":["2026-05-01T00:00","2026-05-01T01:00"],"temperature_2m":[14.1,13.7],"precipitation_probability":[0,5]}}`},
	{at: "nominatim.openstreetmap.org/search", body: `[{"display_name":"Brandenburg Gate, Berlin","lat":"52.516","lon":"13.377","type":"attraction","importance":0.69,"address":{"city":"Berlin","country":"Germany"}}]`},
	{at: "api.sunrise-sunset.org/json", body: `{"results":{"sunrise":"2026-06-20T20:10:00+00:00","sunset":"2026-06-21T10:56:00+00:00","solar_noon":"2026-06-21T03:33:00+00:00","day_length":53160,"civil_twilight_begin":"2026-06-20T19:39:00+00:00","civil_twilight_end":"1970-01-01T00:00:01+00:00"},"status":"OK"}`},
	{at: "earthquake.usgs.gov/fdsnws/event/1/query", body: `{"features":[{"properties":{"mag":5.1,"magType":"mww","place":"somewhere","time":1767225600000,"tsunami":0,"url":"https://earthquake.usgs.gov/e/1"},"geometry":{"coordinates":[140.1,35.2,10]}}]}`},
	{at: "openapi.naver.com/v1/search/news.json", requires: "standin-client-secret", body: `{"total":1,"start":1,"display":1,"items":[{"pubDate":"Fri, 01 May 2026 09:00:00 +0900","title":"<b>서울</b> 날씨","originallink":"https://news.example/1","link":"https://n.news.example/1","description":"맑음 &amp; 따뜻"}]}`},
	{at: "dapi.kakao.com/v2/local/search/keyword.json", requires: "KakaoAK standin-kakao-key", body: `{"meta":{"total_count":1,"pageable_count":1,"is_end":true},"documents":[{"place_name":"카페","category_name":"음식점","category_group_name":"카페","distance":"120","phone":"","road_address_name":"서울","address_name":"서울","x":"127.02","y":"37.49","place_url":"https://place.map.example/1"}]}`},
	{at: "www.googleapis.com/customsearch/v1", requires: "standin-google-key", body: `{"items":[{"title":"Sandbox","link":"https://example.com/","snippet":"a box"}]}`},
	{at: "api.openai.com/v1/responses", requires: "Bearer standin-openai-key", body: `{"model":"gpt-5.4-mini","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hello."}]}],"usage":{"input_tokens":5,"output_tokens":2}}`},
	{at: "api.upbit.com/v1/ticker", body: `[{"market":"KRW-BTC","trade_date":"20260501","trade_price":137000000,"opening_price":136000000,"high_price":138000000,"low_price":135500000,"prev_closing_price":136000000,"change":"RISE","change_price":1000000,"change_rate":0.0073529412,"acc_trade_volume_24h":1234.5,"timestamp":1777593600000}]`},
	{at: "api.upbit.com/v1/orderbook", body: `[{"market":"KRW-BTC","timestamp":1777593600000,"total_ask_size":3.5,"total_bid_size":2.25,"orderbook_units":[{"ask_price":137010000,"bid_price":137000000,"ask_size":0.5,"bid_size":0.25}],"level":10000}]`},
	{at: "api.upbit.com/v1/candles/days", body: `[{"market":"KRW-BTC","candle_date_time_utc":"2026-05-01T00:00:00","candle_date_time_kst":"2026-05-01T09:00:00","opening_price":136000000,"high_price":138000000,"low_price":135500000,"trade_price":137000000,"timestamp":1777593600000,"candle_acc_trade_price":169000000000.5,"candle_acc_trade_volume":1234.5}]`},
	{at: "api.upbit.com/v1/market/all", body: `[{"market":"KRW-BTC","korean_name":"비트코인","english_name":"Bitcoin"},{"market":"BTC-ETH","korean_name":"이더리움","english_name":"Ethereum"}]`},
	{at: "api.bithumb.com/public/ticker/BTC_KRW", body: `{"status":"0000","data":{"opening_price":"136000000","closing_price":"137000000","min_price":"135500000","max_price":"138000000","units_traded":"1000.5","acc_trade_value":"137000000000.5","prev_closing_price":"136000000","units_traded_24H":"1234.5","acc_trade_value_24H":"169000000000.5","fluctate_24H":"1000000","fluctate_rate_24H":"0.74","date":"1777593600000"}}`},
	{at: "api.bithumb.com/public/orderbook/BTC_KRW", body: `{"status":"0000","data":{"timestamp":"1777593600000","payment_currency":"KRW","order_currency":"BTC","bids":[{"price":"137000000","quantity":"0.25"}],"asks":[{"price":"137010000","quantity":"0.5"}]}}`},
	{at: "www.reddit.com/r/golang/search.json", body: `{"kind":"Listing","data":{"after":null,"dist":1,"children":[{"kind":"t3","data":{"title":"Wasm & Go","author":"gopher","score":42,"num_comments":7,"created_utc":1777593600,"subreddit":"golang","permalink":"/r/golang/comments/abc/wasm_go/","url":"https://www.reddit.com/r/golang/comments/abc/wasm_go/","selftext":"How do you run it?"}}]}}`},
	{at: "hooks.slack.com/services/T0/B0/standin", body: `ok`},
}

// credentials are the environment of the tools that need keys.
var credentials = map[string]string{
	"NAVER_CLIENT_ID": "standin-client-id", "NAVER_CLIENT_SECRET": "standin-client-secret", "KAKAO_REST_API_KEY": "standin-kakao-key",
	"GOOGLE_API_KEY": "standin-google-key", "GOOGLE_PSE_ID": "standin-engine", "OPENAI_API_KEY": "standin-openai-key",
	"SLACK_WEBHOOK_URL": "https://hooks.slack.com/services/T0/B0/standin",
}

func lookup(name string) (string, bool) {
	value, ok := credentials[name]
	return value, ok
}
