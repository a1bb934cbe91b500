"""What `agenthost doctor` looks at: the installation, the settings, the plugins, and the known clients.

Nothing is started, written or opened. Whatever is broken becomes a diagnosis.
"""

from agenthost.doctor.diagnosis import GROUPS, Diagnosis, Group, Level
from agenthost.doctor.examination import examine
from agenthost.doctor.folding import Told, fold, name_subjects

__all__ = ["GROUPS", "Diagnosis", "Group", "Level", "Told", "examine", "fold", "name_subjects"]
