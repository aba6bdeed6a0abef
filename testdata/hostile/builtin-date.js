// A date of a hundred thousand digits.
// ends: ok
// result: "Invalid Date"
return String(new Date('1'.repeat(100000)));
