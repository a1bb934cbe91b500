"""The rules of workflows: what a plan is, what is wrong with it, how far it is. No SQL, nothing of the protocol."""
