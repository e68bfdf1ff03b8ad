"""Runs in a process of their own, watched from outside."""
