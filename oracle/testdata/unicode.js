'é'.normalize('NFD').length + 'e\u0301'.normalize('NFC').length + 'ﬁ'.normalize('NFKC') + '한'.normalize('NFD').length

[...'👩‍👩‍👧'].length + '👍🏽'.length + 'a\u{1F600}'.codePointAt(1).toString(16)

'ΑΒΓ'.toLowerCase() + 'ΟΔΟΣ'.toLowerCase() + 'straße'.toUpperCase() + 'ǆ'.toUpperCase()

'\ud83d'.isWellFormed() + '' + '\ud83d'.toWellFormed().charCodeAt(0).toString(16)

var ünïcode = 1, \u0061b = 2; ünïcode + ab

'日本語テキスト'.split('').reverse().join('') + '中'.charCodeAt(0) + 'ａ'.normalize('NFKD')

encodeURIComponent('日本') + escape('日') + JSON.stringify('日\u2029')

'aé日😀'.split('').map(c => c.charCodeAt(0).toString(16)).join() + 'x'.localeCompare('X')

'\x41\u0042\u{43}\103' === 'ABCC'

('あ'.repeat(300) + 'z').indexOf('z') + ('a'.repeat(300) + 'あ').length

['z', 'a', 'Z', 'ä', '日'].sort().join() + 'I'.toLocaleLowerCase() + '\u00a0x\ufeff'.trim().length

(s => s.replace(/./gu, c => '\\u{' + c.codePointAt(0).toString(16) + '}'))('aß😀')

'ab' < 'b' && 'a' < 'ä' && '\uffff' > '\u{10000}'

[...'नमस्ते'].length + 'ｶﾞ'.normalize('NFKC').length + 'Å'.normalize('NFD').charCodeAt(1)
