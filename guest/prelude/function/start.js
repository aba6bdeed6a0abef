// A function of the embedding program's own that takes its time: calls overlap, and each gives a promise. Its name
// stands for @name; the host checks the argument and the answer.

const { parse, stringify, then } = primordials;

host.install('@name', function (argument) {
  const { promise } = host.start('@name', argument === undefined ? '{}' : stringify(argument) ?? 'null');
  return then(promise, (reply) => parse(reply));
});
