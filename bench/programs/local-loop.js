(function () {
  let sum = 0;
  for (let i = 0; i < 3000000; i++) { sum = (sum + i * 7) % 1000003; }
  return sum;
})();
