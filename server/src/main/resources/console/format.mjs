// Numbers with units, and values as mongosh writes them.
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytes(count) {
  if (count == null) return '–';
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${number(value, unit === 0 ? 0 : 1)} ${UNITS[unit]}`;
}

export function number(value, digits = 0) {
  if (value == null || Number.isNaN(value)) return '–';
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** Few digits for what is large, more for what is small. */
export function short(value) {
  if (value == null) return '–';
  if (value >= 1e6) return number(value / 1e6, 1) + ' M';
  if (value >= 1e4) return number(value / 1e3, 1) + ' k';
  return number(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

export const units = (value) => short(value) + ' RU';

export function millis(value) {
  if (value == null) return '–';
  if (value >= 1000) return number(value / 1000, 2) + ' s';
  return number(value, value >= 10 ? 1 : 2) + ' ms';
}

export const percent = (share) => (share > 0 && share < 0.0005 ? '< 0.1 %' : number(share * 100, share < 0.1 ? 1 : 0) + ' %');

export function clock(epochMillis, withDate = false) {
  const date = new Date(epochMillis);
  const time = date.toLocaleTimeString('en-GB');
  return withDate ? date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' }) + ' ' + time.slice(0, 5) : time;
}

// Other values that Extended JSON writes as an object with one field.
const TYPES = new Set(['$binary', '$code', '$dbPointer', '$maxKey', '$minKey', '$regularExpression', '$symbol', '$timestamp', '$undefined', '$uuid']);

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** A value of canonical Extended JSON that is not a document or an array, in words; else null. */
export function scalar(value) {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return String(value);
  if (!isObject(value)) return null;
  const keys = Object.keys(value);
  if (keys.length !== 1 || keys[0][0] !== '$') return null;
  const [name] = keys;
  const inner = value[name];
  switch (name) {
    case '$oid': return `ObjectId("${inner}")`;
    case '$numberInt': return inner;
    case '$numberLong': return `NumberLong("${inner}")`;
    case '$numberDouble': return /^-?\d+$/.test(inner) ? inner + '.0' : inner;
    case '$numberDecimal': return `NumberDecimal("${inner}")`;
    case '$date': return date(inner, value);
    default: return TYPES.has(name) ? JSON.stringify(value) : null;
  }
}

function date(inner, whole) {
  const epoch = Number(inner?.$numberLong ?? NaN);
  if (typeof inner === 'string') return `ISODate("${inner}")`;
  return Math.abs(epoch) < 253402300800000 && epoch >= -62135596800000
    ? `ISODate("${new Date(epoch).toISOString()}")` : JSON.stringify(whole);
}

/** A value of Extended JSON as mongosh writes it; what is written can be read again. */
export function show(value, indent = '') {
  const simple = scalar(value);
  if (simple !== null) return simple;
  const deeper = indent + '  ';
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const items = value.map((item) => show(item, deeper));
    const line = '[' + items.join(', ') + ']';
    return line.length <= 72 && !line.includes('\n') ? line
      : '[\n' + items.map((item) => deeper + item).join(',\n') + '\n' + indent + ']';
  }
  const fields = Object.entries(value).map(([name, item]) => fieldName(name) + ': ' + show(item, deeper));
  if (fields.length === 0) return '{}';
  const line = '{ ' + fields.join(', ') + ' }';
  return line.length <= 72 && !line.includes('\n') && indent ? line
    : '{\n' + fields.map((field) => deeper + field).join(',\n') + '\n' + indent + '}';
}

const fieldName = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** Numbers of canonical Extended JSON as numbers, for what the server tells of itself. */
export function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.length === 1 && /^\$number(Int|Long|Double|Decimal)$/.test(keys[0])) return Number(value[keys[0]]);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}
