"""`agenthost hardtoget serve`: a server to which clients of the original can connect unchanged."""

from __future__ import annotations

from importlib.util import find_spec

import click
from agenthost import App

from agenthost_hardtoget.original.serving import INSTALL


@click.command("serve")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=5000, show_default=True, help="The port; 0 takes a free one."
)
@click.pass_obj
def serve(app: App, port: int) -> None:
    """Serve hardtoget alone at http://127.0.0.1:PORT, for clients of the original.

    The original's paths are at the root; MCP is at /mcp. For other hosts and for other plugins beside it, use
    agenthost serve --http, where the original's paths are below /hardtoget/.
    """
    if find_spec("socketio") is None:
        click.echo(f"agenthost: warning: without Socket.IO clients hear of no events; {INSTALL} adds it", err=True)
    app.serve(http=str(port), mount_at_root=True)
