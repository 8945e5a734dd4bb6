"""Write what is made from other files: JSON Schemas from the models, one JSON file from fragments/, the rules' pages.

`--check` only compares, and fails when a file is stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from nvcre_render import rulebook, source
from nvcre_render.model import Workflow, WorkloadRun, validator
from nvcre_render.model.executor import KubeflowExecutor

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "schemas"
FRAGMENTS = ROOT / "fragments"
RULES = ROOT / "docs" / "rules"
REF = "#/$defs/"

# Rules between fields that JSON Schema can say; the compiler reports them through its own rules.
RELATIONS: dict[str, dict[str, Any]] = {
    "Framework": {"minProperties": 1, "maxProperties": 1},
    "Torch": {"oneOf": [{"required": ["script"]}, {"required": ["module"]}]},
    "Config": {"not": {"required": ["inline", "configMapRef"]}},
    "EnvVar": {"not": {"required": ["value", "valueFrom"], "properties": {"value": {"minLength": 1}}}},
}


def schema(kind: Any, identifier: str) -> dict[str, Any]:
    """Return the JSON Schema of a model, Kubernetes' own types complete, Go facts noted."""
    made = validator(kind).json_schema()
    core = json.loads((SCHEMAS / "kubernetes-core.v1.json").read_text())["$defs"]
    definitions = {**core, **{name: each for name, each in made.pop("$defs").items() if name not in core}}
    own = [each for name, each in definitions.items() if name not in core]
    for each in [made, *own]:
        _tidy(each, definitions)
    for name, relation in RELATIONS.items():
        if name in definitions:
            definitions[name].update(relation)
    used = _reachable(made, definitions)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:nvcre-render:{identifier}",
    }
    return {**head, **made, "$defs": {name: definitions[name] for name in sorted(used)}}


def _tidy(definition: dict[str, Any], definitions: dict[str, Any]) -> None:
    """Drop pydantic's field titles; objects behind a reference are pointers in Go."""
    for field in definition.get("properties", {}).values():
        field.pop("title", None)
        target = definitions.get(field.get("$ref", "").removeprefix(REF), {})
        if target.get("type") == "object" and "x-go-default" not in field:
            field["x-go-pointer"] = True


def _reachable(schema: Any, definitions: dict[str, Any]) -> set[str]:
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
            name = str(value.get("$ref", "")).removeprefix(REF)
            if name and name not in found:
                found.add(name)
                waiting.append(definitions[name])
    return found


def compiled() -> dict[str, Any]:
    """Return all of fragments/ as one JSON object: YAML files under data, shell files under scripts."""
    scripts = {path.stem: path.read_text() for path in sorted((FRAGMENTS / "scripts").glob("*.sh"))}
    names = sorted(path.relative_to(FRAGMENTS).as_posix() for path in FRAGMENTS.rglob("*.yaml"))
    return {"made-by": "scripts/generate.py", "scripts": scripts, "data": {name: _fragment(name) for name in names}}


def _fragment(name: str) -> Any:
    documents, findings = source.read((FRAGMENTS / name).read_text(), f"fragments/{name}")
    if findings:
        raise SystemExit("\n".join(map(str, findings)))
    # NVCRE writes the objects it builds with sorted keys; the order shows in JSON output.
    return _sorted(documents[0].data) if name.startswith(("runtime/", "platforms/")) else documents[0].data


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def pages() -> dict[Path, str]:
    """Return the text of every page of docs/rules."""
    made = {RULES / f"{code}.md": rulebook.page(rule) for code, rule in rulebook.rules().items()}
    return {RULES / "README.md": rulebook.index(), **made}


def main(arguments: list[str]) -> int:
    """Write the generated files, or with --check name the stale ones and return 1."""
    schemas = {
        FRAGMENTS / "compiled.json": compiled(),
        SCHEMAS / "workloadrun.v1alpha1.json": schema(WorkloadRun, "workloadrun.v1alpha1"),
        SCHEMAS / "workflow.v1alpha1.json": schema(Workflow, "workflow.v1alpha1"),
        SCHEMAS / "executor.v1.json": schema(KubeflowExecutor, "executor.v1"),
    }
    made = {path: json.dumps(content, indent=1, ensure_ascii=False) + "\n" for path, content in schemas.items()}
    made |= pages()
    stale = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    gone = sorted({*RULES.glob("*.md")} - made.keys())  # the page of a rule that is no more
    if "--check" not in arguments:
        RULES.mkdir(exist_ok=True)
        for path in stale:
            path.write_text(made[path])
        for path in gone:
            path.unlink()
    elif stale or gone:
        names = ", ".join(path.relative_to(ROOT).as_posix() for path in [*stale, *gone])
        print(f"stale: {names}; run `make generate`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
