// An explanation as a picture: documents flow from the bottom stage to the top one.
import { html } from './vendor/preact-htm.mjs';
import { number, plain, short, show, units } from './format.mjs';

const EXPLAINABLE = ['aggregate', 'count', 'delete', 'distinct', 'find', 'findAndModify', 'update'];
const HIDDEN = new Set(['stage', 'inputStage', 'inputStages', 'shards', 'winningPlan', 'executionStages', 'isMultiKey', 'isUnique',
  'isSparse', 'isPartial', 'indexVersion', 'multiKeyPaths', 'works', 'advanced', 'needTime', 'needYield', 'saveState',
  'restoreState', 'isEOF', 'collation', 'seeks', 'dupsTested', 'dupsDropped', 'executionTimeMillisEstimate']);

export const explainable = (command) => EXPLAINABLE.includes(Object.keys(command)[0]);

function findPlan(reply) {
  const inStages = reply.stages?.map((stage) => stage.$cursor).find(Boolean);
  const found = reply.executionStats?.executionStages ?? reply.queryPlanner?.winningPlan
    ?? inStages?.executionStats?.executionStages ?? inStages?.queryPlanner?.winningPlan;
  return { plan: found, pipeline: reply.stages?.filter((stage) => !stage.$cursor) ?? [] };
}

export function ExplainPicture({ reply }) {
  const { plan, pipeline } = findPlan(reply);
  const stats = reply.executionStats && plain(reply.executionStats);
  const charge = plain(reply.totalRequestCharge ?? reply.RequestCharge ?? null);
  if (!plan) return html`<pre tabindex="0">${show(reply)}</pre>`;
  return html`<div class="explain" role="group" aria-label="Plan">
    ${stats && html`<p class="explain-sum">${number(stats.nReturned)} returned, ${number(stats.totalKeysExamined)} keys and
      ${' '}${number(stats.totalDocsExamined)} documents examined${charge !== null && `, ${units(charge)}`}</p>`}
    ${[...pipeline].reverse().map((stage) => html`<div class="stage"><b>${Object.keys(stage)[0]}</b>
      <code>${show(stage[Object.keys(stage)[0]], '  ')}</code></div><div class="flow" aria-hidden="true">↑</div>`)}
    <${Stage} stage=${plan} />
    <details><summary>As the server says it</summary><pre tabindex="0">${show(reply)}</pre></details></div>`;
}

function Stage({ stage }) {
  const below = [stage.inputStage, ...(stage.inputStages ?? []), ...(stage.shards ?? []).map((shard) => shard.winningPlan ?? shard.executionStages)]
    .filter(Boolean);
  const isScan = stage.stage === 'COLLSCAN';
  const facts = Object.entries(stage).filter(([name]) => !HIDDEN.has(name));
  return html`<div class=${'stage' + (isScan ? ' bad' : '')}><b>${stage.stage ?? 'plan'}</b>
      ${isScan && html`<span class="tag">reads every document</span>`}
      <dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd><code>${text(value)}</code></dd></div>`)}</dl></div>
    ${below.length > 0 && html`<div class="flow" aria-hidden="true">↑</div>
      <div class="branches">${below.map((each) => html`<div><${Stage} stage=${each} /></div>`)}</div>`}`;
}

function text(value) {
  const simple = plain(value);
  return typeof simple === 'number' ? short(simple) : show(value, '  ');
}
