// A text of many megabytes, parsed again and again.
// ends: fuel_limit
const text = '[' + '1,'.repeat(1 << 20) + '1]';
for (;;) JSON.parse(text);
