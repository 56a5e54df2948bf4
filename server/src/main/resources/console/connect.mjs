import { html, useState } from './vendor/preact-htm.mjs';
import { get } from './api.mjs';
import { Loaded, Panel, usePolling } from './parts.mjs';

function examples(uri) {
  return [
    ['mongosh', `mongosh "${uri}"`],
    ['Node.js', `import { MongoClient } from "mongodb";\nconst client = new MongoClient("${uri}");\nconsole.log(await client.db("test").collection("items").findOne());`],
    ['Python', `from pymongo import MongoClient\nclient = MongoClient("${uri}")\nprint(client.test.items.find_one())`],
    ['Java', `try (var client = MongoClients.create("${uri}")) {\n  System.out.println(client.getDatabase("test").getCollection("items").find().first());\n}`],
    ['C#', `var client = new MongoClient("${uri}");\nvar items = client.GetDatabase("test").GetCollection<BsonDocument>("items");`],
    ['Go', `client, err := mongo.Connect(options.Client().ApplyURI("${uri}"))`],
  ];
}

function Example({ name, text }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return html`<${Panel} title=${name} aside=${navigator.clipboard && html`<button type="button" onClick=${copy}>${isCopied ? 'Copied' : 'Copy'}</button>`}><pre tabindex="0">${text}</pre><//>`;
}

export function Connect() {
  const state = usePolling((signal) => get('/server', signal), 0, []);
  return html`<h1>Connect</h1><${Loaded} state=${state}>${(server) => {
    const login = server.authentication ? '<user>:<password>@' : '';
    const tls = server.tls === 'off' ? '' : '?tls=true';
    const uri = `mongodb://${login}${location.hostname}:${server.port}/${tls}`;
    return html`<p>Orrery ${server.version}, profile ${server.profile}${server.ephemeral ? ', data in memory only until it stops' : ''}.
      ${server.tls !== 'off' && ' A self-signed certificate is printed by “orrery certificate”; give it to the driver as tlsCAFile.'}</p>
      <div class="charts two">${examples(uri).map(([name, text]) => html`<${Example} name=${name} text=${text} />`)}</div>`;
  }}<//>`;
}
