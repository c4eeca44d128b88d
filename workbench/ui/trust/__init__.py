"""The question whether a folder is trusted that brings instructions, rules, servers, hooks or settings of its own."""
