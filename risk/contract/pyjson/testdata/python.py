"""Writes python.jsonl: what Python makes of odd JSON values.

Run with Python 3 in this folder: python3 python.py > python.jsonl
Each row has the JSON as it arrives, str() of the value, the text and the flag
that the contract makes of it, and its compact form with sorted names.
"""
import json

SOURCES = [
    "null", "true", "false", "0", "-0", "1", "-1", "12345678901234567890123", "1" + "0" * 400,
    "0.0", "-0.0", "1.0", "0e5", "1e0", "1E5", "1e15", "1e16", "123456789012345680.0", "9999999999999998.0", "1e22", "1e23",
    "1e-4", "0.00012", "1e-5", "1.5e-7", "1.5e300", "5e-324", "1e-400", "2.5", "0.1", "100000.0", "-1234.5678e-9",
    '""', '" "', '"x"', '" x "', '"1"', '" 1 "', '"1.0"', '"TRUE"', '"Yes\\n"', '"y"', '"ON"', '"oN "', '"maybe"', '"off"', '"true\\u001c"',
    '"\\u001d\\u001e\\u001fon\\u0085\\u00a0"', '"\\u2003yes\\u3000"', '"\\u200byes"', '"\\ufeffyes"', '"ye\\u017f"', '"\\uff11"', '"\\u1680on\\u2028"',
    "[]", "{}", "[true]", "[1, 1.0, null, \"x\", [], {}]", '{"b": 1, "a": [false]}', '{"a": 1}', '[["1"]]', '["1"]',
    '["it\'s"]', '["say \\"x\\""]', '["it\'s \\"x\\""]', '["back\\\\slash"]', '["a\\tb\\nc\\rd"]', '["\\u0000\\u001b\\u007f\\u0080\\u0085\\u00a0\\u00ad"]',
    '["\\u00e9\\u0300\\u0130\\u212a"]', '["\\u2028\\u200b\\u200e\\ufeff\\u3000\\ue000\\u0378"]', '["\\ud83d\\ude00\\udb40\\udc01\\udbff\\udfff"]',
    '{"it\'s": "\\n", "\\u00e9": "\\u00e9", "\\ud83d\\ude00": 1, "\\ufb01": 2}', '{"\\b\\f": "\\u000b/<>&"}',
]

for source in SOURCES:
    value = json.loads(source)
    if isinstance(value, bool):
        flag = value
    elif value is None:
        flag = False
    else:
        flag = str(value).strip().lower() in {"1", "true", "yes", "y", "on"}
    print(json.dumps({
        "json": source,
        "str": str(value),
        "text": str(value or "").strip(),
        "flag": flag,
        "compact": json.dumps(value, sort_keys=True, separators=(",", ":")),
    }))
