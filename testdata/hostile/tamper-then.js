// A then that answers for every promise.
// ends: ok
// result: "real"
Promise.prototype.then = function (f) { f('forged'); };
Object.prototype.then = undefined;
return await 'real';
