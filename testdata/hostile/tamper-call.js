// Function.prototype without call, apply and bind.
// ends: ok
// result: 1
delete Function.prototype.call;
delete Function.prototype.apply;
delete Function.prototype.bind;
console.log('x');
setTimeout(() => {}, 0);
return 1;
