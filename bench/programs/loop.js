var sum = 0;
for (var i = 0; i < 2000000; i++) { sum = (sum + i * 7) % 1000003; }
sum;
