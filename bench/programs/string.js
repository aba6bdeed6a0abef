(function () {
  let text = '', length = 0;
  for (let i = 0; i < 60000; i++) {
    text += String.fromCharCode(97 + i % 26);
    if (i % 100 === 99) { length += text.split('e').join('-').toUpperCase().indexOf('Z') + text.length; text = ''; }
  }
  for (let i = 0; i < 30000; i++) { length += ('item-' + i).padStart(12, '.').slice(3).length; }
  return length;
})();
