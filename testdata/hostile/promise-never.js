// A promise that nothing settles.
// ends: never_settles
await new Promise(() => {});
