(function () {
  let seed = 42;
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648);
  let check = 0;
  for (let round = 0; round < 6; round++) {
    const numbers = Array.from({ length: 8000 }, next);
    numbers.sort((a, b) => a - b);
    const words = numbers.slice(0, 2000).map((n) => n.toString(36));
    words.sort();
    check = (check + numbers[100] + words[7].length) % 1000003;
  }
  return check;
})();
