// Every unit is a factor to the base unit of its quantity; temperatures also have an offset.
const quantities = {
  length: { m: 1, km: 1000, cm: 0.01, mm: 0.001, um: 1e-6, nm: 1e-9, in: 0.0254, ft: 0.3048, yd: 0.9144, mi: 1609.344, nmi: 1852 },
  mass: { kg: 1, g: 0.001, mg: 1e-6, t: 1000, lb: 0.45359237, oz: 0.028349523125, st: 6.35029318 },
  time: { s: 1, ms: 0.001, us: 1e-6, min: 60, h: 3600, d: 86400, wk: 604800 },
  area: { m2: 1, km2: 1e6, cm2: 1e-4, ha: 1e4, acre: 4046.8564224, ft2: 0.09290304, mi2: 2589988.110336 },
  volume: { l: 1, ml: 0.001, m3: 1000, cm3: 0.001, gal: 3.785411784, qt: 0.946352946, pt: 0.473176473, cup: 0.2365882365, floz: 0.0295735295625, tbsp: 0.01478676478125, tsp: 0.00492892159375 },
  speed: { 'm/s': 1, 'km/h': 1 / 3.6, mph: 0.44704, kn: 1852 / 3600, 'ft/s': 0.3048 },
  pressure: { Pa: 1, hPa: 100, kPa: 1000, bar: 1e5, mbar: 100, atm: 101325, psi: 6894.757293168, mmHg: 133.322387415 },
  energy: { J: 1, kJ: 1000, cal: 4.184, kcal: 4184, Wh: 3600, kWh: 3.6e6, BTU: 1055.05585262, eV: 1.602176634e-19 },
  power: { W: 1, kW: 1000, MW: 1e6, hp: 745.69987158227 },
  data: { B: 1, bit: 0.125, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KiB: 1024, MiB: 1048576, GiB: 1073741824, TiB: 1099511627776 },
  angle: { rad: 1, deg: Math.PI / 180, grad: Math.PI / 200, turn: 2 * Math.PI },
  temperature: { K: [1, 0], C: [1, 273.15], F: [5 / 9, 459.67 * 5 / 9], R: [5 / 9, 0] },
};
const aliases = {
  meter: 'm', metre: 'm', kilometer: 'km', kilometre: 'km', centimeter: 'cm', millimeter: 'mm', inch: 'in', foot: 'ft', feet: 'ft', yard: 'yd', mile: 'mi',
  gram: 'g', kilogram: 'kg', tonne: 't', pound: 'lb', ounce: 'oz', second: 's', minute: 'min', hour: 'h', day: 'd', week: 'wk',
  liter: 'l', litre: 'l', L: 'l', mL: 'ml', gallon: 'gal', celsius: 'C', '°C': 'C', fahrenheit: 'F', '°F': 'F', kelvin: 'K', knot: 'kn', kmh: 'km/h', degree: 'deg', radian: 'rad', byte: 'B',
};

function unit(name) {
  const spelled = name.trim();
  const singular = spelled.toLowerCase().replace(/s$/, '');
  for (const candidate of [spelled, aliases[spelled], aliases[spelled.toLowerCase()], aliases[singular], spelled.toLowerCase()]) {
    for (const [quantity, units] of Object.entries(quantities)) {
      if (candidate !== undefined && Object.hasOwn(units, candidate)) {
        const [factor, offset] = [units[candidate]].flat();
        return { symbol: candidate, quantity, factor, offset: offset ?? 0 };
      }
    }
  }
  throw new Error(`unknown unit: ${name}`);
}
const source = unit(from);
const target = unit(to);
if (source.quantity !== target.quantity) throw new Error(`${from} is ${source.quantity} and ${to} is ${target.quantity}`);
const result = (value * source.factor + source.offset - target.offset) / target.factor;
return { value: Number(result.toPrecision(12)), unit: target.symbol, quantity: target.quantity };
