// The SDK of the era without a handshake. Its argument is JSON: {"mode"} and {"url"} or {"command", "args", "env", "cwd"}.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { Notices, answers, capabilities, converse } from './conversation.mjs';

const { mode, url, ...server } = JSON.parse(process.argv[2]);
const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(server);

const client = new Client({ name: 'host-2026', version: '1' }, { capabilities, versionNegotiation: { mode } });
const notices = new Notices();
client.fallbackNotificationHandler = async notice => notices.note(notice);
client.setRequestHandler('elicitation/create', answers.elicit);
client.setRequestHandler('sampling/createMessage', answers.sample);
client.setRequestHandler('roots/list', answers.roots);
await client.connect(transport);

await converse({
  client,
  notices,
  call: (name, args, options) => client.callTool({ name, arguments: args }, options),
  watch: async uri => {
    const listening = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
    return () => listening.close();
  },
});
