// The SDK of the handshake era, as most clients of 2025 use it. Its argument is JSON: {"url"} or {"command", "args", "env", "cwd"}.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { Notices, answers, capabilities, converse } from './conversation.mjs';

const { url, ...server } = JSON.parse(process.argv[2]);
const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(server);

const client = new Client({ name: 'host-2025', version: '1' }, { capabilities });
const notices = new Notices();
client.fallbackNotificationHandler = async notice => notices.note(notice);
client.setRequestHandler(ElicitRequestSchema, answers.elicit);
client.setRequestHandler(CreateMessageRequestSchema, answers.sample);
client.setRequestHandler(ListRootsRequestSchema, answers.roots);
await client.connect(transport);

await converse({
  client,
  notices,
  call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
  watch: async uri => {
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  },
});
