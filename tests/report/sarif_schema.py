"""The part of the SARIF 2.1.0 JSON Schema that this project's logs use.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", Errata 01,
https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json. Objects are as
closed as they are there; what is not used here is left out, so this accepts less than the original does.
"""

from __future__ import annotations

from typing import Any


def closed(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


STRING = {"type": "string"}
BAG = {"type": "object", "additionalProperties": True}
MESSAGE = closed([], text=STRING, markdown=STRING, id=STRING, arguments={"type": "array", "items": STRING})
MULTIFORMAT = closed(["text"], text=STRING, markdown=STRING)
LEVEL = {"enum": ["none", "note", "warning", "error"]}
POSITIVE = {"type": "integer", "minimum": 1}
INDEX = {"type": "integer", "minimum": -1}
URI = {"type": "string", "format": "uri-reference", "pattern": r"^[!#$&-;=?-Z_a-z~%\[\]]*$"}

ARTIFACT_LOCATION = closed([], uri=URI, uriBaseId=STRING, index=INDEX)
REGION = closed([], startLine=POSITIVE, startColumn=POSITIVE, endLine=POSITIVE, endColumn=POSITIVE)
PHYSICAL = {
    **closed([], artifactLocation=ARTIFACT_LOCATION, region=REGION),
    "anyOf": [{"required": ["artifactLocation"]}],
}
LOCATION = closed([], id=INDEX, physicalLocation=PHYSICAL, message=MESSAGE)
RULE = closed(["id"], id=STRING, name=STRING, shortDescription=MULTIFORMAT, fullDescription=MULTIFORMAT)
RESULT = closed(
    ["message"],
    ruleId=STRING,
    ruleIndex=INDEX,
    kind={"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
    level=LEVEL,
    message=MESSAGE,
    locations={"type": "array", "items": LOCATION},
    relatedLocations={"type": "array", "uniqueItems": True, "items": LOCATION},
    properties=BAG,
)
COMPONENT = closed(["name"], name=STRING, version=STRING, rules={"type": "array", "uniqueItems": True, "items": RULE})
INVOCATION = closed(
    ["executionSuccessful"],
    executionSuccessful={"type": "boolean"},
    exitCode={"type": "integer"},
    exitCodeDescription=STRING,
)
ARTIFACT = closed([], location=ARTIFACT_LOCATION, sourceLanguage=STRING)
RUN = closed(
    ["tool"],
    tool=closed(["driver"], driver=COMPONENT),
    invocations={"type": "array", "items": INVOCATION},
    artifacts={"type": "array", "uniqueItems": True, "items": ARTIFACT},
    results={"type": "array", "items": RESULT},
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
)
SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    **closed(
        ["version", "runs"],
        **{"$schema": {"type": "string", "format": "uri"}},
        version={"enum": ["2.1.0"]},
        runs={"type": "array", "items": RUN},
    ),
}
