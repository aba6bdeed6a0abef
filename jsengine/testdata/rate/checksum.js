// statements: 4724
function crcTable() {
  const table = [];
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let k = 0; k < 8; k++) {
      c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    }
    table.push(c >>> 0);
  }
  return table;
}
const table = crcTable();
const text = 'The box is sealed. '.repeat(100);
let crc = 0xffffffff;
for (let i = 0; i < text.length; i++) {
  crc = table[(crc ^ text.charCodeAt(i)) & 255] ^ (crc >>> 8);
}
return (crc ^ 0xffffffff) >>> 0;
