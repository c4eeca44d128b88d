"""Tests of the conversation room: values, messages, events, exchanges, the assembler and the journal."""
