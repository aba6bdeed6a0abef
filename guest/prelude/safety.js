// installs: safety
// needs:
//
// The object that the helper groups hang from. It is always there; a group that was not granted is not in it. A
// group that was put in its place before makes the object itself.

if (primordials.getOwnPropertyDescriptor(globalThis, 'safety')?.value === undefined) host.install('safety', {});
