// Lines over time, drawn as SVG: as many as there are series, and a dashed line for a limit.
import { html, useState } from './vendor/preact-htm.mjs';
import { clock } from './format.mjs';

const WIDTH = 600;
const HEIGHT = 150;
const LEFT = 52;
const BOTTOM = 18;
const TOP = 8;

function niceCeiling(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value);
}

export function Chart({ title, seconds, last, span, series, limit, format }) {
  const [hover, setHover] = useState(null);
  const values = series.flatMap((line) => line.values);
  const most = niceCeiling(Math.max(limit ?? 0, ...values, 0.001));
  const x = (second) => LEFT + ((second - (last - span + 1)) / (span - 1)) * (WIDTH - LEFT - 4);
  const y = (value) => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);
  const path = (line) => line.values
    .map((value, i) => `${i === 0 || seconds[i] - seconds[i - 1] > 2 ? 'M' : 'L'}${x(seconds[i]).toFixed(1)},${y(value).toFixed(1)}`).join('');
  const at = hover ?? seconds.length - 1;
  const move = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const second = last - span + 1 + (((event.clientX - box.left) / box.width) * WIDTH - LEFT) / (WIDTH - LEFT - 4) * (span - 1);
    const found = seconds.findIndex((each) => each >= second);
    setHover(found < 0 ? null : found);
  };
  const words = series.map((line) => `${line.name} ${format(line.values[at] ?? 0)}`).join(', ');
  return html`<figure class="chart">
    <figcaption><span class="chart-title">${title}</span>
      ${series.map((line) => html`<span class=${'key ' + line.cls}><i aria-hidden="true"></i>${line.name} <b>${format(line.values[at] ?? 0)}</b></span>`)}
      ${limit > 0 && html`<span class="key limit"><i aria-hidden="true"></i>provisioned <b>${format(limit)}</b></span>`}
      ${hover !== null && html`<span class="chart-time">${clock(seconds[at] * 1000)}</span>`}
    </figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${`${title}: ${words}`} onMouseMove=${move} onMouseLeave=${() => setHover(null)}>
      ${[0, 0.5, 1].map((part) => html`<g class="grid"><line x1=${LEFT} x2=${WIDTH - 4} y1=${y(most * part)} y2=${y(most * part)} />
        <text x=${LEFT - 6} y=${y(most * part) + 4} text-anchor="end">${format(most * part)}</text></g>`)}
      <g class="grid"><text x=${LEFT} y=${HEIGHT - 3}>${clock((last - span + 1) * 1000)}</text>
        <text x=${WIDTH - 4} y=${HEIGHT - 3} text-anchor="end">${clock(last * 1000)}</text></g>
      ${limit > 0 && html`<line class="limit" x1=${LEFT} x2=${WIDTH - 4} y1=${y(limit)} y2=${y(limit)} />`}
      ${series.map((line) => html`<path class=${'line ' + line.cls} d=${path(line)} />`)}
      ${hover !== null && html`<line class="cross" x1=${x(seconds[at])} x2=${x(seconds[at])} y1=${TOP} y2=${HEIGHT - BOTTOM} />`}
    </svg></figure>`;
}
