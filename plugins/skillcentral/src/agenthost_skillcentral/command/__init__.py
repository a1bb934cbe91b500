"""The command `agenthost skillcentral`: one module for each verb, imported when that command is used."""

from __future__ import annotations

import click

from agenthost_skillcentral.command.add import add
from agenthost_skillcentral.command.bundle import compile_skills, export
from agenthost_skillcentral.command.compose import compose
from agenthost_skillcentral.command.doctor import doctor
from agenthost_skillcentral.command.import_skills import import_skills
from agenthost_skillcentral.command.init import init
from agenthost_skillcentral.command.list_skills import list_skills
from agenthost_skillcentral.command.remove import remove
from agenthost_skillcentral.command.scope import scope
from agenthost_skillcentral.command.session import session
from agenthost_skillcentral.command.show import show
from agenthost_skillcentral.command.validate import validate
from agenthost_skillcentral.command.workflow import workflow


@click.group("skillcentral")
def command() -> None:
    """Look at the skills of this project, check their files, write new ones."""


for verb in (
    *(list_skills, show, validate, doctor, compose, scope),
    *(init, add, remove, import_skills),
    *(compile_skills, export),
    *(workflow, session),
):
    command.add_command(verb)
