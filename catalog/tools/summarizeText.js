// A summary by statistics: the sentences whose words are frequent in the text and whose place is early, in the order
// of the text. No model is asked.
const wanted = sentences === undefined ? 3 : sentences;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 20) throw new Error('sentences must be 1..20');
const stop = new Set(('a about after all also an and any are as at be because been but by can could did do does for from had has have he her his how i if in into is it its '
  + 'just more most no not of on one only or other our out over she so some such than that the their them then there these they this to up was we were what when which who will with would you your').split(' '));

const words = (s) => (s.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []).filter((w) => w.length > 1 && !stop.has(w));
const all = (text.replace(/\s+/g, ' ').match(/[^.!?。！？]+[.!?。！？]*["'”’)]*\s*/gu) ?? []).map((s) => s.trim()).filter((s) => /[\p{L}\p{N}]/u.test(s));
const frequency = new Map();
for (const word of words(text)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
const highest = Math.max(1, ...frequency.values());

const scored = all.map((sentence, i) => {
  const list = words(sentence);
  const weight = list.reduce((sum, word) => sum + frequency.get(word) / highest, 0) / Math.max(4, list.length);
  return { sentence, i, score: weight * (i === 0 ? 1.3 : 1) };
});
const best = scored.toSorted((a, b) => b.score - a.score || a.i - b.i).slice(0, wanted).sort((a, b) => a.i - b.i);
return {
  summary: best.map(({ sentence }) => sentence).join(' '),
  keywords: [...frequency].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 8).map(([word]) => word),
  sentences: all.length, words: (text.match(/[\p{L}\p{N}']+/gu) ?? []).length,
  readingMinutes: Math.max(1, Math.round(text.split(/\s+/).length / 220)), // at 220 words a minute
};
