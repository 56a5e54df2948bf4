// Time from left to right, one row for each physical partition, colour for its load.
import { html, useEffect, useRef, useState } from './vendor/preact-htm.mjs';
import { command, get, path } from './api.mjs';
import { ExplainPicture, explainable } from './explain.mjs';
import { clock, millis, number, percent, scalar, short, show, units } from './format.mjs';
import { Choice, Failure, Loaded, Panel, usePolling } from './parts.mjs';

const LABEL = 64;
const AXIS = 22;
const LADDER = [['second', '2 minutes'], ['minute', '3 hours'], ['hour', '10 days']];
const POLL = { second: 1000, minute: 5000, hour: 30000 };

// Dark and light ends differ; between them hue and lightness both rise, for those who see no hue.
const STOPS = {
  light: [[238, 243, 246], [168, 208, 224], [250, 204, 92], [232, 106, 51], [158, 22, 44]],
  dark: [[24, 33, 42], [38, 82, 110], [196, 148, 42], [226, 96, 48], [255, 70, 84]],
};

export function heatColour(share, scheme) {
  const stops = STOPS[scheme];
  const at = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at));
  const mix = stops[low].map((value, i) => Math.round(value + (stops[low + 1][i] - value) * (at - low)));
  return `rgb(${mix.join(',')})`;
}

export const scheme = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

/** From 0 to 1: of the partition's budget if it has one, else of the busiest cell. */
function shares(data) {
  const isLimited = data.partitions.some((each) => each.peaks?.some((peak) => peak >= 0));
  let most = 0;
  data.partitions.forEach((each) => each.units?.forEach((value) => { most = Math.max(most, value); }));
  const share = (partition, slot) => {
    if (!partition.units) return 0;
    if (isLimited && partition.peaks[slot] >= 0) return partition.peaks[slot];
    return isLimited || most === 0 ? 0 : partition.units[slot] / most;
  };
  return { isLimited, share };
}

function rowHeight(count) {
  return Math.max(3, Math.min(26, Math.floor(420 / Math.max(1, count))));
}

function draw(canvas, data, cursor) {
  const box = canvas.parentElement.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  const row = rowHeight(data.partitions.length);
  const width = Math.max(280, Math.floor(box.width));
  const height = row * data.partitions.length + AXIS;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  const pen = canvas.getContext('2d');
  pen.scale(ratio, ratio);
  const mode = scheme();
  const ink = getComputedStyle(canvas).color;
  const cell = (width - LABEL) / data.slots;
  const { share } = shares(data);
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  const every = Math.ceil(13 / row);
  data.partitions.forEach((partition, i) => {
    const y = i * row;
    for (let slot = 0; slot < data.slots; slot++) {
      pen.fillStyle = heatColour(share(partition, slot), mode);
      pen.fillRect(LABEL + slot * cell, y, Math.ceil(cell), row - (row > 5 ? 1 : 0));
      if (partition.refused?.[slot] && row > 8) {
        pen.fillStyle = ink;
        pen.fillRect(LABEL + (slot + 0.5) * cell - 1, y + row / 2 - 1.5, 2.5, 2.5);
      }
    }
    if (i % every === 0) {
      pen.fillStyle = ink;
      pen.globalAlpha = partition.live ? 1 : 0.5;
      pen.textAlign = 'right';
      pen.fillText((partition.live ? 'P' : '†P') + partition.id, LABEL - 8, y + row / 2);
      pen.globalAlpha = 1;
    }
  });
  forks(pen, data, { row, cell, ink });
  axis(pen, data, { width, height, cell, ink });
  if (cursor) {
    pen.strokeStyle = ink;
    pen.lineWidth = 2;
    pen.strokeRect(LABEL + cursor.slot * cell - 1, cursor.row * row, Math.max(6, cell) + 2, row);
  }
}

/** A line from each partition that was split or merged to those that took its place. */
function forks(pen, data, { row, cell, ink }) {
  const rowOf = new Map(data.partitions.map((partition, i) => [partition.id, i]));
  pen.strokeStyle = ink;
  pen.lineWidth = 1.5;
  for (const event of data.events) {
    const slot = event.time / 1000 / data.slotSeconds - data.firstSlot;
    if (slot < 0 || slot > data.slots) continue;
    const x = LABEL + slot * cell;
    for (const before of event.before) {
      for (const after of event.after) {
        if (!rowOf.has(before) || !rowOf.has(after)) continue;
        const from = (rowOf.get(before) + 0.5) * row;
        const to = (rowOf.get(after) + 0.5) * row;
        pen.beginPath();
        pen.moveTo(x - 6, from);
        pen.bezierCurveTo(x, from, x - 4, to, x + 6, to);
        pen.stroke();
        pen.beginPath();
        pen.arc(x + 6, to, 2.5, 0, 7);
        pen.fillStyle = ink;
        pen.fill();
      }
    }
  }
}

function axis(pen, data, { width, height, cell, ink }) {
  pen.fillStyle = ink;
  pen.textBaseline = 'alphabetic';
  const marks = Math.max(2, Math.floor((width - LABEL) / 130));
  for (let i = 0; i <= marks; i++) {
    const slot = Math.round((data.slots - 1) * i / marks);
    pen.textAlign = i === 0 ? 'left' : i === marks ? 'right' : 'center';
    pen.fillText(slotTime(data, slot), LABEL + (slot + 0.5) * cell + (i === 0 ? -cell / 2 : i === marks ? cell / 2 : 0), height - 5);
  }
}

const slotTime = (data, slot) => clock((data.firstSlot + slot) * data.slotSeconds * 1000, data.slotSeconds > 1);

export function Heat({ scope }) {
  const [resolution, setResolution] = useState('second');
  const [selected, setSelected] = useState(null);
  const state = usePolling((signal) => get(path(scope, '/heat?resolution=' + resolution), signal),
    POLL[resolution], [scope.database, scope.collection, resolution]);
  return html`<h1>Heat map <small>${scope.database}.${scope.collection}</small></h1>
    <${Loaded} state=${state}>${(data) => html`
      <ul class="diagnoses" aria-live="polite">${data.diagnoses.map((each) => html`
        <li class=${each.severity}><span class="mark" aria-hidden="true">${{ good: '✓', note: 'i', bad: '!' }[each.severity]}</span>${each.text}</li>`)}</ul>
      <${Panel} title="Load by partition and time" aside=${html`<${Choice} label="How far back" options=${LADDER} value=${resolution}
          onChange=${(next) => { setSelected(null); setResolution(next); }} />`}>
        <${HeatCanvas} data=${data} selected=${selected} onSelect=${setSelected} />
        <${Legend} data=${data} />
      <//>
      ${selected && html`<${CellDetails} scope=${scope} cell=${selected} partitionKey=${data.partitionKey} />`}`}<//>`;
}

function HeatCanvas({ data, selected, onSelect }) {
  const canvas = useRef(null);
  const [cursor, setCursor] = useState(null);
  const [spoken, setSpoken] = useState('');
  const shown = cursor ?? place(data, selected);
  useEffect(() => {
    const redraw = () => canvas.current && draw(canvas.current, data, shown);
    redraw();
    const media = matchMedia('(prefers-color-scheme: dark)');
    window.addEventListener('resize', redraw);
    media.addEventListener('change', redraw);
    return () => {
      window.removeEventListener('resize', redraw);
      media.removeEventListener('change', redraw);
    };
  });
  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const slot = Math.floor((event.clientX - box.left - LABEL) / ((box.width - LABEL) / data.slots));
    const row = Math.floor((event.clientY - box.top) / rowHeight(data.partitions.length));
    return slot < 0 || row < 0 || slot >= data.slots || row >= data.partitions.length ? null : { slot, row };
  };
  const choose = (where) => {
    if (where) {
      onSelect({ partition: data.partitions[where.row].id, slot: data.firstSlot + where.slot, resolution: data.resolution,
        slotSeconds: data.slotSeconds });
    }
  };
  const describe = (where) => {
    if (!where) return '';
    const partition = data.partitions[where.row];
    const { isLimited, share } = shares(data);
    const spent = partition.units?.[where.slot] ?? 0;
    const refused = partition.refused?.[where.slot] ?? 0;
    return `Partition ${partition.id}, ${slotTime(data, where.slot)}: ${units(spent)}`
      + (isLimited && spent > 0 ? `, peak ${percent(share(partition, where.slot))} of its budget` : '')
      + (refused ? `, ${number(refused)} refused` : '');
  };
  const key = (event) => {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const from = cursor ?? place(data, selected) ?? { slot: data.slots - 2, row: 0 };
    if (steps[event.key]) {
      const [down, right] = steps[event.key];
      const next = { row: Math.min(data.partitions.length - 1, Math.max(0, from.row + down)),
        slot: Math.min(data.slots - 1, Math.max(0, from.slot + right)) };
      setCursor(next);
      setSpoken(describe(next));
      event.preventDefault();
    } else if (event.key === 'Enter' || event.key === ' ') {
      choose(from);
      event.preventDefault();
    }
  };
  return html`<div class="heat">
    <canvas ref=${canvas} tabindex="0" role="application" aria-roledescription="heat map" id="heat-canvas"
      aria-label=${`Load of ${data.partitions.length} partitions over time. Arrow keys move, Enter shows what a cell is made of.`}
      onClick=${(event) => choose(at(event))} onKeyDown=${key} onBlur=${() => setCursor(null)}
      onMouseMove=${(event) => setSpoken(describe(at(event)))} onMouseLeave=${() => setSpoken('')}></canvas>
    <p class="readout" aria-live="polite">${spoken || 'Click a cell, or use the arrow keys and Enter, to see the keys and commands behind it.'}</p></div>`;
}

function place(data, selected) {
  if (!selected || selected.resolution !== data.resolution) return null;
  const row = data.partitions.findIndex((each) => each.id === selected.partition);
  const slot = selected.slot - data.firstSlot;
  return row < 0 || slot < 0 || slot >= data.slots ? null : { row, slot };
}

function Legend({ data }) {
  const { isLimited } = shares(data);
  const mode = scheme();
  return html`<div class="legend"><span>0 %</span><span class="ramp" aria-hidden="true">
      ${Array.from({ length: 24 }, (_, i) => html`<i style=${{ background: heatColour(i / 23, mode) }}></i>`)}</span>
    <span>100 %</span><span>${isLimited ? 'of the partition’s request units, its highest second'
      : 'of the busiest cell: no throughput is provisioned, so nothing is normalised'}</span>
    <span>■ some requests refused</span>${data.partitions.some((each) => !each.live) && html`<span>† split or merged since</span>`}</div>`;
}

function CellDetails({ scope, cell, partitionKey }) {
  const query = `/heat/cell?resolution=${cell.resolution}&from=${cell.slot}&partition=${cell.partition}`;
  const state = usePolling((signal) => get(path(scope, query), signal), 0, [scope.database, scope.collection, query]);
  const when = clock(cell.slot * cell.slotSeconds * 1000, cell.slotSeconds > 1);
  return html`<${Panel} title=${`Partition ${cell.partition} at ${when}`} id="cell">
    <${Loaded} state=${state}>${(data) => html`
      <p>${units(data.units)} in this cell${data.refused > 0 && html`, <b>${number(data.refused)} requests refused</b>`}.
        Keys and commands are those of the ${data.usesSeconds} seconds around it.</p>
      <div class="columns">
        <div><h3>Partition keys ${partitionKey && html`<code>${partitionKey}</code>`}</h3>
          <${Bars} rows=${data.keys.map((each) => ({ text: each.missing ? 'documents without it' : keyText(each.key), units: each.units }))}
            none="No single key is known: the requests named none." /></div>
        <div><h3>Commands</h3>
          <${Shapes} scope=${scope} shapes=${data.shapes} /></div>
      </div>`}<//><//>`;
}

const keyText = (key) => (typeof key === 'string' ? key : scalar(key) ?? JSON.stringify(key));

export function Bars({ rows, none }) {
  const all = rows.reduce((sum, each) => sum + each.units, 0);
  if (rows.length === 0) return html`<p class="empty">${none}</p>`;
  return html`<table class="bars"><thead><tr><th>Value</th><th>Share</th><th>Units</th></tr></thead><tbody>
    ${rows.map((each) => html`<tr><td><code>${each.text}</code></td>
      <td class="bar"><i style=${{ width: (100 * each.units / all) + '%' }}></i><span>${percent(each.units / all)}</span></td>
      <td class="num">${units(each.units)}</td></tr>`)}</tbody></table>`;
}

function Shapes({ scope, shapes }) {
  if (shapes.length === 0) return html`<p class="empty">No command is known for this cell.</p>`;
  return html`<ul class="shapes">${shapes.map((each) => html`<${Shape} key=${each.id} scope=${scope} shape=${each} />`)}</ul>`;
}

function Shape({ scope, shape }) {
  const [state, setState] = useState(null);
  const explain = async () => {
    setState({ busy: true });
    try {
      const example = await get(path(scope, '/shapes/' + shape.id));
      const plan = explainable(example.command)
        ? await command(scope.database, { explain: example.command, verbosity: 'queryPlanner' }) : null;
      setState({ command: example.command, plan });
    } catch (error) {
      setState({ error });
    }
  };
  return html`<li><div class="shape"><code>${shape.shape}</code><span class="num">${units(shape.units)}</span>
      ${shape.allPartitions && html`<span class="tag">asks several partitions</span>`}
      <button type="button" onClick=${explain} disabled=${state?.busy}>Example and explain</button></div>
    ${state?.error && html`<${Failure} error=${state.error} />`}
    ${state?.command && html`<pre tabindex="0">${show(state.command)}</pre>`}
    ${state?.plan && html`<${ExplainPicture} reply=${state.plan.reply} />`}
    ${state?.command && !state.plan && html`<p class="empty">A ${Object.keys(state.command)[0]} has no plan.</p>`}</li>`;
}
