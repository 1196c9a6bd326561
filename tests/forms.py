"""The forms of the reports of `dndbg run`: one run writes them all, and each has
to say what the JSON says."""
import json
import os
import re
import xml.etree.ElementTree as xml

import schema
from drive import Failure, TOP

# Those of files; what the logs of jobs take goes to stdout.
FILES = ("report", "json", "jsonl", "junit", "sarif", "gitlab", "crashreport",
         "markdown")
LOGS = ("github", "azure", "teamcity")
MARKS = {"github": "::error ", "azure": "##vso[task.logissue ",
         "teamcity": "##teamcity[buildProblem "}
# What their documents allow. Azure's properties end at ; and ], GitHub's at a
# comma or a colon; TeamCity's identity is a name of Java's of at most 60.
FORMS = {"github": re.compile(r"::error (file=[^,:\r\n]+,line=\d+,)?"
                              r"title=[^,:\r\n]*::[^\r\n]*"),
         "azure": re.compile(r"##vso\[task\.logissue type=error;"
                             r"(sourcepath=[^];\r\n]+;linenumber=\d+;)?\]"
                             r"[^\r\n]+"),
         "teamcity": re.compile(
             r"##teamcity\[buildProblem "
             r"description='([^'|\[\]\r\n]|\|['|nr\[\]])+' "
             r"identity='[A-Za-z_$][\w$]{0,59}'\]", re.ASCII)}
COMMANDS = re.compile(
    rf"\n((?:(?:{'|'.join(map(re.escape, MARKS.values()))}).*\n)+)")
ESCAPED = {"github": re.compile("%(25|0D|0A|3A|2C)"),
           "azure": re.compile("%(AZP25|0D|0A|5D|3B)"),
           "teamcity": re.compile(r"\|(['|nr\[\]])")}


def options(t):
    """Every form, in a file of its name or in the log."""
    for name in FILES:
        if os.path.exists(f"{t.dir}/{name}"):
            os.unlink(f"{t.dir}/{name}")
    return [*(word for name in FILES for word in (f"--{name}",
                                                  f"{t.dir}/{name}")),
            *(f"--{name}" for name in LOGS)]


def innermost(report):
    """Indexes of the exceptions without another within."""
    depths = [x["depth"] for x in report["exceptions"]] + [0]
    return [i for i in range(len(depths) - 1) if depths[i + 1] <= depths[i]]


def first_own(frames):
    return next(((f["file"], f["line"]) for f in frames if f["own"]), None)


def culprits(report):
    """What is to blame, as (text, its line): an exception or several, or what
    the thread stands at."""
    threads = report["threads"] if report.get("thread") else []
    frames = threads[0]["frames"] if threads else []
    if report["tests"] and "thread" not in report["tests"][0]:
        frames = report["async"][0]["frames"]
    there, found = first_own(frames), []
    for i in innermost(report):
        exceptions, at = report["exceptions"], i
        place = None
        while at and not place:
            place = first_own(exceptions[at]["frames"])
            at = max(k for k in range(at) if exceptions[k]["depth"]
                     < exceptions[at]["depth"])
        found.append((f"{exceptions[i]['type']}: {exceptions[i]['message']}"
                      if found else report["cause"], place or there))
    return found or [(report["cause"], there)]


def culprit(report):
    """The line that is to blame: (path, line), or None."""
    return culprits(report)[0][1]


def unescape(form, text):
    def of(found):
        code = found[1]
        if form == "teamcity":
            return {"n": "\n", "r": "\r"}.get(code, code)
        return chr(int(code.removeprefix("AZP"), 16))
    return ESCAPED[form].sub(of, text)


def split(text):
    """What a command under `dndbg run` wrote: without the lines of the logs'
    forms, each behind the end of a line, and these."""
    return COMMANDS.sub("", text), [
        line for block in COMMANDS.findall(text) for line in block.splitlines()]


def check_log(form, lines, reports):
    """Each report is a line that names its cause and its place."""
    found = [line for line in lines if line.startswith(MARKS[form])]
    wanted = [one for report in reports for one in (
        culprits(report)[:1] if form == "teamcity" else culprits(report))]
    if len(found) != len(wanted):
        raise Failure(f"{form}: {len(found)} lines, not {len(wanted)}")
    for line, (cause, place) in zip(found, wanted):
        if not FORMS[form].fullmatch(line):
            raise Failure(f"{form}: malformed: {line}")
        text = unescape(form, line)
        if cause not in text:
            raise Failure(f"{form}: '{cause}' is not in: {text}")
        if place and not re.search(rf"{re.escape(os.path.basename(place[0]))}"
                                   rf"\W.*\b{place[1]}\b", text):
            raise Failure(f"{form}: {place} is not in: {text}")


def read(t, name):
    path = f"{t.dir}/{name}"
    if not os.path.exists(path):
        return ""
    with open(path) as file:
        return file.read()


def line(report):
    """The cause as text has it."""
    return report["cause"].replace("\n", "\\n")


def check_text(t, reports):
    for form in "report", "markdown":
        text = read(t, form)
        for report in reports:
            t.check_in(line(report), text)
            for place in (one[1] for one in culprits(report) if one[1]):
                t.check_in(f"{os.path.basename(place[0])}:{place[1]}", text)
            for one in report["exceptions"]:
                t.check_in(one["type"], text)


def check_files(t, reports):
    t.check_equal(reports, [json.loads(line)
                            for line in read(t, "jsonl").splitlines()])
    sarif = json.loads(read(t, "sarif"))
    schema.check(sarif, schema.SARIF)
    # GitHub refuses a file with a result that has no place
    places = [place["physicalLocation"] for one in sarif["runs"][0]["results"]
              for place in one["locations"]]
    t.check(all(place["artifactLocation"]["uri"] for place in places), "no uri")
    wanted = [(r["cause"], (culprit(r) or (None, 1))[1]) for r in reports]
    t.check_equal(wanted, [
        (one["message"]["text"], place["region"]["startLine"])
        for one, place in zip(sarif["runs"][0]["results"], places,
                              strict=True)])
    t.check_equal(
        [(text, (place or (None, 1))[1]) for report in reports
         for text, place in culprits(report)[1:]],
        [(place["message"]["text"],
          place["physicalLocation"]["region"]["startLine"])
         for one in sarif["runs"][0]["results"]
         for place in one.get("relatedLocations", ())])
    gitlab = json.loads(read(t, "gitlab"))
    schema.check(gitlab, schema.GITLAB)
    t.check_equal(len(gitlab), len({one["fingerprint"] for one in gitlab}))
    t.check_equal([(text, (place or (None, 1))[1]) for report in reports
                   for text, place in culprits(report)],
                  [(one["description"], one["location"]["lines"]["begin"])
                   for one in gitlab])
    suite = xml.fromstring(read(t, "junit").encode())
    schema.check_junit(suite)
    # an attribute has no ends of lines
    t.check_equal([r["cause"].replace("\n", " ") for r in reports],
                  [one.get("message") for one in
                   suite.findall("testcase/failure")])
    for one, report in zip(suite.findall("testcase/failure"), reports):
        t.check_in(line(report), one.text)
    check_dump(t, json.loads(read(t, "crashreport"))["payload"], reports)


def check_dump(t, dumped, reports):
    """The crashreport.json has the first report alone."""
    if not reports:
        return
    first = reports[0]
    t.check_equal(first["program"], dumped["process_name"])
    t.check_equal(
        [one["number"] == first.get("thread") for one in first["threads"]],
        [one["crashed"] == "true" for one in dumped["threads"]])
    for crashed in (x for x in dumped["threads"] if x["crashed"] == "true"):
        t.check_equal(next((x["type"] for x in first["exceptions"]), None),
                      crashed.get("managed_exception_type"))


def check(t, lines):
    """All forms of the run; @lines: what it wrote into the log. The reports
    of the JSON."""
    reports = json.loads(read(t, "json"))
    with open(f"{TOP}/docs/report.schema.json") as file:
        one = json.load(file)
    for report in reports:
        schema.check(report, one)
    for form in LOGS:
        check_log(form, lines, reports)
    check_text(t, reports)
    check_files(t, reports)
    return reports
