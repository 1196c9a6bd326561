"""Schemas of JSON, as much of them as the tests' schemas say; and the parts of
the formats of others that reports use, as their specifications have them."""
import re

from drive import Failure

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool,
         "integer": int}
TEXT = {"type": "string"}


def check(value, schema, root=None, where="$"):
    """Demand that the value is as the schema says. Members that the schema does
    not name are faults, so that it names all."""
    root = root or schema
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "enum" in schema and value not in schema["enum"]:
        raise Failure(f"{where}: {value!r} is none of {schema['enum']}")
    kind = TYPES.get(schema.get("type"), object)
    if not isinstance(value, kind) or (kind is int and value is True):
        raise Failure(f"{where}: {value!r} is no {schema['type']}")
    if value != value or kind is int and value < schema.get("minimum", value):
        raise Failure(f"{where}: {value!r} is too small")
    if not re.search(schema.get("pattern", ""), str(value)):
        raise Failure(f"{where}: {value!r} is not {schema['pattern']}")
    for name in schema.get("required", ()):
        if name not in value:
            raise Failure(f"{where}: there is no '{name}'")
    if "properties" in schema:
        for name, part in value.items():
            if name not in schema["properties"]:
                raise Failure(f"{where}: the schema has no '{name}'")
            check(part, schema["properties"][name], root, f"{where}.{name}")
    for i, item in enumerate(value if "items" in schema else ()):
        check(item, schema["items"], root, f"{where}[{i}]")


def entries(**properties):
    return {"type": "object", "required": list(properties),
            "properties": properties}


def rows(items):
    return {"type": "array", "items": items}


# SARIF 2.1.0: 3.13 sarifLog, 3.14 run, 3.18 tool, 3.27 result, 3.28 location.
PHYSICAL = entries(artifactLocation=entries(uri=TEXT),
                   region=entries(startLine={"type": "integer", "minimum": 1}))
RESULT = entries(
    ruleId=TEXT, message=entries(text=TEXT),
    level={"enum": ["none", "note", "warning", "error"]},
    locations=rows(entries(physicalLocation=PHYSICAL)),
    partialFingerprints={"type": "object"})
RESULT["properties"]["relatedLocations"] = rows(
    entries(physicalLocation=PHYSICAL, message=entries(text=TEXT)))
SARIF = {**entries(**{
    "$schema": TEXT, "version": {"enum": ["2.1.0"]},
    "runs": rows(entries(tool=entries(driver=entries(name=TEXT)),
                         results=rows(RESULT)))})}

# GitLab: what the documentation of its report of code quality demands.
GITLAB = rows(entries(
    description=TEXT, check_name=TEXT, fingerprint=TEXT,
    severity={"enum": ["info", "minor", "major", "critical", "blocker"]},
    location=entries(path=TEXT, lines=entries(
        begin={"type": "integer", "minimum": 1}))))


def check_junit(suite):
    """The attributes and elements that readers of JUnit's XML agree on."""
    names = {"testsuite": {"name", "tests", "failures"},
             "testcase": {"classname", "name"}, "failure": {"type", "message"}}
    parents = {"testsuite": None, "testcase": "testsuite",
               "failure": "testcase"}

    def visit(element, parent):
        if parents.get(element.tag, "?") != parent:
            raise Failure(f"<{element.tag}> in <{parent}>")
        if set(element.keys()) != names[element.tag]:
            raise Failure(f"<{element.tag}> has {element.keys()}")
        for child in element:
            visit(child, element.tag)

    visit(suite, None)
    cases = suite.findall("testcase")
    failed = suite.findall("testcase/failure")
    if (str(len(cases)), str(len(failed))) != (suite.get("tests"),
                                               suite.get("failures")):
        raise Failure("the numbers of the suite are wrong")
