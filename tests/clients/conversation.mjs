// What every client does with the server, whatever its SDK; what came of it is printed as one JSON object.

const PATIENCE = 20_000; // milliseconds

const bounded = (promise, what) =>
  Promise.race([
    promise,
    new Promise((_, fail) => setTimeout(() => fail(new Error(`there never was ${what}`)), PATIENCE).unref()),
  ]);

// Notices as they come, and the wait for one of them.
export class Notices {
  #seen = [];
  #waiting = [];

  note(notice) {
    this.#seen.push(notice);
    this.#waiting.forEach(look => look());
  }

  one(wanted, what) {
    const found = new Promise(resolve => {
      const look = () => this.#seen.some(wanted) && resolve(this.#seen.find(wanted));
      this.#waiting.push(look);
      look();
    });
    return bounded(found, what);
  }

  count(wanted) {
    return this.#seen.filter(wanted).length;
  }
}

// What the client answers when the server asks its user, its model or itself.
export const answers = {
  elicit: request => {
    if (request.params.message === 'no, thanks') return { action: 'decline' };
    const known = { username: 'ann', email: 'ann@example.org', name: 'ann', color: 'blue' };
    const wanted = Object.keys(request.params.requestedSchema.properties);
    return { action: 'accept', content: Object.fromEntries(wanted.map(field => [field, known[field]])) };
  },
  sample: request => ({
    role: 'assistant',
    model: 'none',
    stopReason: 'endTurn',
    content: { type: 'text', text: `I was asked: ${[request.params.messages[0].content].flat()[0].text}` },
  }),
  roots: () => ({ roots: [{ uri: 'file:///srv/project', name: 'project' }] }),
};

export const capabilities = { elicitation: {}, sampling: {}, roots: {} };

// `host` has the SDK's `client`, the `notices` that it got, `call(name, arguments, options)` and `watch(uri)`.
export async function converse({ client, notices, call, watch }) {
  const listed = async () => (await client.listTools()).tools.map(tool => tool.name);
  const done = async (name, args) => {
    const result = await call(name, args);
    if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
    return result;
  };
  const text = async (name, args) => (await done(name, args)).content[0].text;
  const fire = 'campfire://fires/f';
  const said = { server: client.getServerVersion().name, tools: await listed() };

  said.called = (await done('campfire_get_or_create_fire', { fireId: 'f' })).structuredContent;
  said.wrong = await call('campfire_get_or_create_fire', { fireID: 'f' });
  said.prompts = (await client.listPrompts()).prompts.map(prompt => prompt.name);
  said.prompt = (await client.getPrompt({ name: 'campfire_catch_up', arguments: { fireId: 'f' } })).messages;
  said.resources = (await client.listResources()).resources.map(resource => resource.uri);
  said.templates = (await client.listResourceTemplates()).resourceTemplates.map(template => template.uriTemplate);
  said.read = JSON.parse((await client.readResource({ uri: fire })).contents[0].text);
  const asked = { ref: { type: 'ref/resource', uri: 'campfire://fires/{fireId}' }, argument: { name: 'fireId', value: 'f' } };
  said.completed = (await client.complete(asked)).completion.values;

  const post = fireId => done('campfire_speak_to_party', { fireId, author: 'ann', text: 'hello' });
  const updated = uri => notice => notice.method === 'notifications/resources/updated' && notice.params.uri === uri;
  const changed = notice => notice.method === 'notifications/tools/list_changed';
  let unwatch = await watch(fire);
  await post('f');
  await notices.one(updated(fire), 'an update of the fire');
  await done('void_create_tool', { name: 'made', inputSchema: { type: 'object' }, result: 'I was made' });
  await notices.one(changed, 'a change of the tools');
  said.added = (await listed()).includes('made');
  said.made = await text('made', {});
  said.changes = notices.count(changed);

  await unwatch();
  const before = notices.count(updated(fire));
  await done('campfire_get_or_create_fire', { fireId: 'other' });
  unwatch = await watch('campfire://fires/other');
  await post('f');
  await post('other');
  await notices.one(updated('campfire://fires/other'), 'an update of the other fire');
  said.updatesAfterwards = notices.count(updated(fire)) - before;
  await unwatch();

  const giveUp = new AbortController();
  const held = call('hold_async', { gate: 'g' }, { signal: giveUp.signal, onprogress: () => giveUp.abort('enough') });
  said.cancelled = await bounded(held.then(() => false, () => true), 'an end of the cancelled call');
  said.afterwards = await text('campfire_ping', {});

  said.accepted = await text('test_elicitation', { message: 'who are you?' });
  said.declined = await text('test_elicitation', { message: 'no, thanks' });
  said.sampled = await text('test_sampling', { prompt: 'say something' });
  said.roots = await text('test_input_required_result_list_roots', {});
  said.rounds = await text('test_input_required_result_multi_round', {});

  await client.close();
  console.log(JSON.stringify(said));
}
