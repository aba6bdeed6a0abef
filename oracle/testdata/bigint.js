2n ** 200n

(123456789012345678901234567890n * 987654321098765432109876543210n).toString(16)

(10n ** 60n / 7n ** 20n) + ',' + (10n ** 60n % 7n ** 20n) + ',' + (-7n / 2n) + (-7n % 2n)

(f => f(60n))(function f(n) { return n < 2n ? 1n : n * f(n - 1n) })

(() => { let a = 0n, b = 1n; for (let i = 0; i < 300; i++) [a, b] = [b, a + b]; return a })()

BigInt('0xffffffffffffffffffff') + BigInt(2 ** 60) - BigInt('-5')

[BigInt.asIntN(8, 255n), BigInt.asUintN(8, -1n), 5n & 3n, 5n | -8n, 5n ^ -1n, ~5n, 1n << 70n, -(1n << 70n) >> 3n].join()

[1n < 2, 2n == 2, 2n === 2, 1n + BigInt(1), typeof 1n, 0n ? 't' : 'f', -0n].join()

(() => { try { return 1n + 1 } catch (e) { return e.name + e.message } })()

(() => { try { return 1n / 0n } catch (e) { return e.name } })() + (() => { try { return BigInt(1.5) } catch (e) { return e.name } })()

Number(2n ** 64n) + parseInt('9007199254740993') + Number(9007199254740993n)

(() => { let x = 3n; for (let i = 0; i < 9; i++) x = x * x % 1000000000000000003n; return x })()

((b, e, m) => { let r = 1n; while (e) { if (e & 1n) r = r * b % m; b = b * b % m; e >>= 1n } return r })(3n, 10n ** 30n, 2n ** 127n - 1n)

(2n ** 1000n).toString().length + (2n ** 1000n).toString(36).length + BigInt('1' + '0'.repeat(200)).toString(2).length

[3n, 1n, 2n].sort().join() + [5n, 3, 4n].sort((a, b) => a < b ? -1 : 1).join()

(1n << 2000n) - 1n >> 1990n
