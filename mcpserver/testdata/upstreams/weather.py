"""An MCP server in Python, with nothing but the standard library: it speaks 2025-06-18
over standard input and output, one message a line."""

import json
import sys

TOOL = {
    "name": "mean_temperature",
    "description": "Returns the mean of a list of temperatures in degrees Celsius.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "readings": {
                "type": "array",
                "items": {"type": "number"},
                "minItems": 1,
                "description": "Temperatures in degrees Celsius.",
            }
        },
        "required": ["readings"],
    },
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}


def mean_temperature(arguments):
    readings = arguments["readings"]
    mean = sum(readings) / len(readings)
    return {
        "content": [{"type": "text", "text": f"{mean:.2f} °C"}],
        "structuredContent": {"mean": mean},
    }


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "weather", "version": "1.0"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call" and params.get("name") == TOOL["name"]:
        return mean_temperature(params.get("arguments", {}))
    if method == "ping":
        return {}
    raise LookupError(f"no method {method}")


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        reply["result"] = answer(message["method"], message.get("params", {}))
    except LookupError as problem:
        reply["error"] = {"code": -32601, "message": str(problem)}
    print(json.dumps(reply, ensure_ascii=False), flush=True)
