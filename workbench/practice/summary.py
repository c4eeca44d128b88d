"""Puts the summary of a project together, in Markdown, from a listing and the texts that were read. Nothing in it was known before."""

from __future__ import annotations

from typing import NamedTuple

from workbench.practice.choosing import MANIFESTS, is_source, is_test, kinds, language_of
from workbench.practice.manifests import Manifest, read_manifest
from workbench.practice.outlines import NAMES_AT_MOST, Document, read_document, read_outline
from workbench.practice.phrases import Phrases, code, fenced, shortened
from workbench.practice.results import Entry, Listing, read_shown

KINDS_SHOWN = 5
NEEDS_SHOWN = 6
STARTS_SHOWN = 4
SECTIONS_SHOWN = 6


class Material(NamedTuple):
    """What a summary is made from.

    Attributes:
        texts: path to the result of its read.
        reasons: path to why it was read (see ``choosing.Choice``).
    """

    listing: Listing
    texts: dict[str, str]
    reasons: dict[str, str]


def summarise(material: Material, say: Phrases) -> str:
    """Return the summary: title, paragraph, a short table, what the source defines, how to start it, and what it was made from."""
    texts = {path: read_shown(result).text for path, result in material.texts.items()}
    readme_path = next((path for path in texts if material.reasons.get(path) == "readme"), "")
    readme = read_document(texts.get(readme_path, ""))
    manifest = next((read_manifest(path, text) for path, text in texts.items() if path.rsplit("/", 1)[-1] in MANIFESTS), Manifest())
    title = readme.title or manifest.name or say("project.untitled")
    parts = [f"## {title}", _opening(readme, manifest, readme_path, say), _table(material.listing, manifest, say)]
    parts += _outlines(texts, material.reasons, say)
    parts += _sections(readme, readme_path, say)
    if readme.block:
        parts += [say("project.how", path=code(readme_path)), fenced(readme.block, readme.block_language or "sh")]
    parts.append(_sources(material, say))
    return "\n\n".join(part for part in parts if part)


def _opening(readme: Document, manifest: Manifest, path: str, say: Phrases) -> str:
    if readme.paragraph:
        return readme.paragraph
    return manifest.about if path else "\n\n".join(part for part in (manifest.about, say("project.no_readme")) if part)


def _table(listing: Listing, manifest: Manifest, say: Phrases) -> str:
    rows = [(say("project.name"), f"{code(manifest.name)} {manifest.version}".strip())] if manifest.name else []
    rows.append((say("project.kinds"), _kinds(listing, say)))
    if (needs := _needs(manifest, say)) or manifest.runtime:
        rows.append((say("project.needs"), say("comma").join(part for part in (manifest.runtime, needs) if part)))
    if manifest.starts:
        rows.append((say("project.starts"), _starts(manifest, say)))
    if tests := sum(is_test(entry) and is_source(entry) and entry.name != "__init__.py" for entry in listing.files):
        rows.append((say("project.tests"), say("project.tests_count", count=tests)))
    if manifest.licence:
        rows.append((say("project.licence"), manifest.licence))
    head = f"| {say('project.column')} | {say('project.value')} |\n|---|---|"
    return "\n".join((head, *(f"| {_cell(name)} | {_cell(value)} |" for name, value in rows)))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _kinds(listing: Listing, say: Phrases) -> str:
    return say("project.kinds_seen", total=len(listing.files), kinds=kinds_told(listing, say))


def kinds_told(listing: Listing, say: Phrases) -> str:
    """Return how many files of which kind a listing shows, as one phrase."""
    counted = kinds(listing)
    names = [say("project.kind", name=name or say("project.kind_other"), count=count) for name, count in counted[:KINDS_SHOWN]]
    left = sum(count for _, count in counted[KINDS_SHOWN:])
    return say("comma").join(names) + (say("more", count=left) if left else "") or "–"


def _needs(manifest: Manifest, say: Phrases) -> str:
    if manifest.needs is None:
        return ""
    return say.listed(list(manifest.needs), NEEDS_SHOWN) if manifest.needs else say("project.needs_none")


def _starts(manifest: Manifest, say: Phrases) -> str:
    shown = [f"{code(name)} → {code(target)}" if target else code(name) for name, target in list(manifest.starts.items())[:STARTS_SHOWN]]
    left = len(manifest.starts) - len(shown)
    return say("comma").join(shown) + (say("more", count=left) if left else "")


def _outlines(texts: dict[str, str], reasons: dict[str, str], say: Phrases) -> list[str]:
    """Return a sentence for each source file that was read: what it says of itself and what it defines."""
    sentences = []
    for path, text in texts.items():
        language = language_of(Entry(path))
        if reasons.get(path) not in ("entry", "source", "test") or not language:
            continue
        outline = read_outline(language, text)
        words = [say("project.outline", path=path, names=say.listed(list(outline.names), NAMES_AT_MOST))] if outline.names else []
        words += [say("project.doc", text=outline.doc) if outline.names else f"**{path}** {say('project.doc', text=outline.doc)}"] if outline.doc else []
        sentences.append(say("sentence.gap").join(words))
    return [sentence for sentence in sentences if sentence]


def _sections(readme: Document, path: str, say: Phrases) -> list[str]:
    if not readme.sections:
        return []
    names = say("comma").join(say("quote", text=shortened(name, 40)) for name in readme.sections[:SECTIONS_SHOWN])
    left = len(readme.sections) - SECTIONS_SHOWN
    return [say("project.sections", path=code(path), names=names + (say("more", count=left) if left > 0 else ""))]


def _sources(material: Material, say: Phrases) -> str:
    cut = say("project.cut") if material.listing.cut else ""
    if not material.texts:
        return say("project.read_from_none", cut=cut)
    return say("project.read_from", names=say.listed(list(material.texts)), cut=cut)
