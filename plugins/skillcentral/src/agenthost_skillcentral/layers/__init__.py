"""The layers: which folders hold skills, how they weigh against each other, and for which project they are asked."""
