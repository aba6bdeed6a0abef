// statements: 986
const source = '# Title\n\nSome *text* with **weight** and `code`.\n\n- one\n- two\n'.repeat(25);
const out = [];
let inList = false;
for (const line of source.split('\n')) {
  const heading = /^(#+)\s+(.*)$/.exec(line);
  if (heading) {
    out.push(`<h${heading[1].length}>${heading[2]}</h${heading[1].length}>`);
    continue;
  }
  if (line.startsWith('- ')) {
    if (!inList) {
      out.push('<ul>');
      inList = true;
    }
    out.push('<li>' + line.slice(2) + '</li>');
    continue;
  }
  if (inList) {
    out.push('</ul>');
    inList = false;
  }
  if (line.trim() === '') continue;
  const html = line.replace(/\*\*(.+?)\*\*/g, '<b>$1</b>').replace(/\*(.+?)\*/g, '<i>$1</i>').replace(/`(.+?)`/g, '<code>$1</code>');
  out.push('<p>' + html + '</p>');
}
return out.join('\n').length;
