// A timer behind the end of the call.
// ends: timeout
await new Promise((resolve) => setTimeout(resolve, 1e6));
