"""Checks a document against a JSON Schema: as much of draft 2020-12 as docs/json-schema.json uses."""

import re

_TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "number": (int, float),
    "null": type(None),
}
_KNOWN = {
    "$schema",
    "title",
    "description",
    "$defs",
    "$ref",
    "type",
    "required",
    "properties",
    "items",
    "enum",
    "const",
    "pattern",
    "minimum",
    "anyOf",
    "additionalProperties",
}


def _is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, _TYPES[name])


class Schema:
    def __init__(self, document):
        self.root = document

    def problems(self, value):
        """What does not fit, each with its place; an empty list if all does."""
        return list(self._check(value, self.root, "$"))

    def _resolve(self, reference):
        node = self.root
        for part in reference.removeprefix("#/").split("/"):
            node = node[part]
        return node

    def _check(self, value, schema, place):
        if isinstance(schema, bool):
            if not schema:
                yield f"{place} must not be there"
            return
        unknown = set(schema) - _KNOWN
        if unknown:
            raise ValueError(f"the schema uses {', '.join(sorted(unknown))}, which this check does not know")
        if "$ref" in schema:
            yield from self._check(value, self._resolve(schema["$ref"]), place)
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not any(_is_type(value, name) for name in types):
            yield f"{place}: {value!r} is no {' or '.join(types)}"
            return
        if "const" in schema and value != schema["const"]:
            yield f"{place}: {value!r} is not {schema['const']!r}"
        if "enum" in schema and value not in schema["enum"]:
            yield f"{place}: {value!r} is not one of {schema['enum']}"
        if "anyOf" in schema and all(list(self._check(value, each, place)) for each in schema["anyOf"]):
            yield f"{place}: {value!r} fits none of the alternatives"
        if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
            yield f"{place}: {value!r} does not match {schema['pattern']}"
        if _is_type(value, "integer") and value < schema.get("minimum", value):
            yield f"{place}: {value} is below {schema['minimum']}"
        if isinstance(value, list) and "items" in schema:
            for index, item in enumerate(value):
                yield from self._check(item, schema["items"], f"{place}[{index}]")
        if isinstance(value, dict):
            yield from self._check_object(value, schema, place)

    def _check_object(self, value, schema, place):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{place}: {name} is missing"
        properties = schema.get("properties", {})
        for name, item in value.items():
            if name in properties:
                yield from self._check(item, properties[name], f"{place}.{name}")
            elif "additionalProperties" in schema:
                yield from self._check(item, schema["additionalProperties"], f"{place}.{name}")
