// A loop that would catch its own end.
// ends: statement_limit
for (;;) {
  try {
    for (;;);
  } catch {
    // again
  } finally {
    for (;;);
  }
}
