// Asks an API for JSON. Every failure says what the caller can do about it.
async function ask(url, headers = {}) {
  const host = new URL(url).host;
  let response;
  try {
    response = await fetch(url, { headers: { accept: 'application/json', 'user-agent': 'glovebox-tools', ...headers }, timeout: 15_000 });
  } catch (error) {
    throw new Error(`${host} could not be reached (${error.reason ?? error.message}); try again later`);
  }
  const { status } = response;
  const body = await response.text();
  if (status === 429 || (status === 403 && response.headers.get('x-ratelimit-remaining') === '0')) {
    const wait = Number(response.headers.get('retry-after'));
    throw new Error(`${host} allows no more requests now; try again ${wait > 0 ? `in ${wait} seconds` : 'later'}`);
  }
  let value;
  try {
    value = JSON.parse(body);
  } catch {
    if (response.ok) throw new Error(`${host} did not answer with JSON; try again later`);
  }
  if (!response.ok) {
    const said = value?.message ?? value?.error_message ?? value?.error?.message ?? value?.reason ?? value?.error ?? body;
    const error = new Error(`${host} answered ${status}: ${String(typeof said === 'object' ? JSON.stringify(said) : said).slice(0, 200)}`);
    error.status = status;
    throw error;
  }
  return value;
}

const wanted = size === undefined ? 10 : size;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 15) throw new Error('size must be 1..15');
const params = new URLSearchParams({ query, size: String(wanted) });
if (page !== undefined) params.set('page', String(page));
let answer;
try {
  answer = await ask(`https://dapi.kakao.com/v2/local/search/keyword.json?${params}`, { authorization: `KakaoAK ${kakaoRestApiKey}` });
} catch (error) {
  if (error.status === 401) throw new Error('Kakao does not accept the key; check KAKAO_REST_API_KEY');
  throw error;
}
return {
  total: answer.meta?.total_count ?? 0,
  end: answer.meta?.is_end ?? true,
  places: (answer.documents ?? []).map((place) => ({
    name: place.place_name, category: place.category_name ?? null, phone: place.phone || null, address: place.road_address_name || place.address_name,
    longitude: Number(place.x), latitude: Number(place.y), url: place.place_url ?? null,
  })),
};
