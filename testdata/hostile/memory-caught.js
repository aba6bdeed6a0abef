// Exhaustion that is caught and tried again.
// ends: fuel_limit
const kept = [];
for (;;) {
  try {
    kept.push('x'.repeat(1 << 22) + kept.length);
  } catch {
    kept.length = 0;
  }
}
