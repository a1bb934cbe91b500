"""A plugin that brings skills along."""
