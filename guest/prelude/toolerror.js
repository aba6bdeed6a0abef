// installs: ToolError
// needs:
//
// ToolError is how a tool tells the model what went wrong: the message of one that nobody catches is passed on. The
// message of any other error stays in the record, as nobody wrote it for a model.

const { defineProperty, substring, toWellFormed, Error, String } = primordials;

// Longest text that is passed on, in characters.
const most = 1000;

class ToolError extends Error {
  constructor(message, options) {
    super(message, options);
    host.tell(this, substring(toWellFormed(String(message)), 0, most));
  }
}
defineProperty(ToolError.prototype, 'name', { __proto__: null, value: 'ToolError', writable: true, configurable: true });

host.install('ToolError', ToolError);
