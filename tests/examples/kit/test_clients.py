import asyncio

import pytest
from agenthost.testing import Era, Transport, UsePlugin


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("over", ["memory", "stdio", "http"])
def test_every_client_gets_a_new_topic(agenthost_plugin: UsePlugin, era: Era, over: Transport) -> None:
    async def scenario() -> None:
        async with agenthost_plugin("topics").connect(era, over) as client:
            async with client.watch() as changes:
                await client.call_tool("topics_open", {"topic": "tea", "text": "Black."})
                await changes.of_list("tools")
            assert [tool.name for tool in (await client.list_tools()).tools][-1] == "topics_recall_tea"

    asyncio.run(scenario())


def test_clients_of_both_eras_share_one_server(agenthost_plugin: UsePlugin) -> None:
    async def scenario() -> None:
        plugin = agenthost_plugin("notes")
        server = plugin.start_http()
        async with plugin.connect("legacy", server) as one, plugin.connect("modern", server) as other:
            await one.call_tool("notes_write", {"title": "milk", "text": "Buy some."})
            found = await other.call_tool("notes_read", {"title": "milk"})
            assert "Buy some." in str(found.content)

    asyncio.run(scenario())
