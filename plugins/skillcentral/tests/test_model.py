"""What skills, faults and layers say about themselves."""

from pathlib import Path

from agenthost_skillcentral.model import RESERVED, Fault, Layer, Skill


def test_a_fault_is_one_line_with_file_line_and_field() -> None:
    fault = Fault(Path("/skills/a.yaml"), "is not a text", line=3, field="arguments[0].name", kept=True)
    assert str(fault) == ("/skills/a.yaml:3: arguments[0].name: is not a text; its last good version is still served")
    assert str(Fault(Path("/skills/b"), "cannot be read")) == "/skills/b: cannot be read"


def test_s02_a_skill_without_description_gets_one_with_its_id() -> None:
    layer = Layer("l", "l", Path("/skills"))
    skill = Skill("review-pr", "review-pr", "  ", "prompt", "legacy", layer, Path("/skills/review-pr.yaml"))
    assert "review-pr" in skill.described


def test_s36_the_names_of_the_original_and_of_this_plugin_are_reserved() -> None:
    assert {"workflow_start", "workflow.start", "reverse_output", "skills_compose", "skills:compose"} <= RESERVED
