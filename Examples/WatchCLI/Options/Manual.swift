/// What `--help` and the manual page say besides the options.
enum Manual {
  /// What the tool is for, after its name.
  static let purpose = "keeps a live query over a stream of JSON objects and shows what changes in it"

  /// How it is called.
  static let usage = "livestore-watch [FILE …|-] [options]"

  /// What commands to begin with are good for, and the commands.
  static let examples: KeyValuePairs = [
    "See what enters, leaves and changes among the open orders of a file of JSON lines":
      "livestore-watch orders.ndjson --where 'status == \"open\"' --sort priority:desc",
    "Read a pipe: each object replaces the one with the same key":
      "my-service --events | livestore-watch --key user.id --where 'errors > 3'",
    "Look at the same as a table that changes in place":
      "my-service --events | livestore-watch --key user.id --sort errors:desc --output table",
    "The ten largest at the end of the input, as JSON for another tool":
      "livestore-watch disks.ndjson --sort bytes:desc --limit 10 --once --output json",
    "How much is open for each customer, the largest sums first":
      "livestore-watch orders.ndjson --where 'status == \"open\"' --group-by customer.id \\\n"
      + "      --count --sum total --sort 'sum(total):desc' --output table",
    "Wait in a script until a job is done, for at most ten minutes":
      "livestore-watch jobs.log --follow --until 'id == 7 AND state == \"done\"' --timeout 600",
    "A line whenever a job fails that was running, and no other":
      "livestore-watch jobs.log --follow --format '{name} failed: {error}' \\\n"
      + "      --changes-where 'old.state == \"running\" AND new.state == \"failed\"'",
    "The pods of a cluster that do not run, as they come and go":
      "kubectl get pods -A --watch --output-watch-events -o json |\n"
      + "      livestore-watch --envelope kubernetes --where 'status.phase != \"Running\"' \\\n"
      + "      --columns metadata.name=NAME,status.phase=PHASE --output table",
    "Follow a live query of a server":
      "curl -N 'localhost:4321/streams/Post?offset=-1&live=sse' | livestore-watch --envelope state",
    "Chosen values under titles of your own, for a spreadsheet":
      "livestore-watch orders.ndjson --columns id,owner.name=Owner,total --once --output csv",
    "Run a command whenever something changes, with the changes as JSON on its input":
      "livestore-watch jobs.log --follow --where 'state == \"failed\"' --exec 'mail -s Jobs ops'",
    "See it at work without any data":
      "livestore-watch --demo",
  ]

  /// What the input is.
  static let input = [
    "The input is JSON objects, mostly one a line, each of them a new one, or the new value of the one "
      + "with the same key. Without FILE, or for -, standard input is read. It ends at the end of its input."
  ]

  /// Reference for those who know the options: the paragraphs below each heading.
  static let sections: [(title: String, paragraphs: [String])] =
    reference.parts(at: "\n").split(separator: "").map { ($0[$0.startIndex], Array($0.dropFirst())) }

  /// The sections, with an empty line between two. The first line of each is its heading, every other a paragraph.
  private static let reference = """
    Filters
    Filters compare with = != < <= > >=, CONTAINS, BEGINSWITH and ENDSWITH (with [c] for any case and [d] \
    for any diacritics), IN (1, 2), BETWEEN 1 AND 9, IS NULL, IS NOT NULL, and combine by AND, OR, NOT and \
    parentheses. Values are strings in quotes, numbers, true, false and nil; a.b.0 leads into objects and \
    arrays. What is missing is nil. CONTAINS looks for a part of a string, or for an element of an array.
    A path is the same in every option: names with points between them, [0] or [first] for an element, and \
    ["a.b/c"] for a name with other characters, as in labels["a.b/c"], or backquotes around it. What cannot \
    be a path, as No., is a name. [last], [*] and functions such as @count are for filters alone.
    Objects nest up to 512 levels, filters up to 64. Numbers are exact within the range of a double, and \
    those of JSON are printed in their shortest form: 1.50 as 1.5, 1e3 as 1000. Values of different types \
    sort as null, false, true, numbers, strings, arrays, objects.

    Input of rows
    The first row of a CSV or TSV file has the names of the values. One without a name has its number, and \
    of equal names the second is a_2. With --nested, owner.name is the name of an object owner; a name stays \
    one where it cannot be a path, or where another value stands on the way. The same goes for the names of \
    logfmt.
    What reads as a number is one, in quotation marks as well, and is printed as it was read: 12.50, 1e3, \
    +5, .5. With zeros in front, as 007, it is text. true and false are Booleans, and so is a name of logfmt \
    without a value. Nothing is no value, but "" is the empty text. --text and --number decide otherwise. \
    Where a filter, an order or a sum met numbers and text at one path, or a filter compares with values of \
    another kind than most objects have, a line at the end says so, of JSON as well.
    Quotation marks of CSV open at the beginning of a field alone. If a field does not end, its row is bad, \
    and the lines that it would take are read one by one. Fields beyond the titles are bad if they have a \
    value. An error in the titles ends the tool. logfmt is quoted as Go does it.

    Input of JSON
    Objects may take several lines, stand behind each other, or be the elements of an array; the objects of \
    a list of Kubernetes are its items. A line that begins no value is bad, and so is one that was cut off: \
    reading goes on at the next. Halves of surrogate pairs that stand alone become U+FFFD.

    Files that grow
    --follow reads every FILE on when it grows, and pipes to their ends; the tool ends when it is stopped, \
    or when all were pipes. A FILE that is not there yet is waited for. One that is replaced by another is \
    read to its end first. One that is shorter than before, or no longer begins with the same 1,024 bytes, \
    was overwritten and is read from its beginning. NUL bytes where a line begins, and holes, are skipped: \
    writers leave them in a file that is truncated. Files on file systems without events are looked at once \
    a second.

    Envelopes
    --envelope kubernetes reads {"type":…,"object":{…}}: ADDED and MODIFIED are new values, DELETED removes \
    the object, ERROR is a bad line. After an ERROR with code 410 a new list comes, and what it does not \
    have is removed at the BOOKMARK behind it. The key is metadata.uid unless --key is given.
    --envelope debezium reads {"payload":{"op":…,"before":…,"after":…}}, also without payload: c, u and r \
    are new values, d removes the object that has the key of before, t removes those of its table, m and \
    tombstones (null) are nothing. Paths begin in the object; a key may name its source, as source.table,id. \
    A value that was not sent stays as it was.
    --envelope state reads a stream in the State Protocol, {"type":…,"key":…,"value":…,"headers":…}, as \
    server-sent events, JSON arrays or lines: insert and update are new values, delete removes the object, and \
    what is between snapshot-start and snapshot-end replaces all. The messages of one txid are one \
    transaction; on lines by themselves, the next one ends it. Objects have the keys of the messages, also as \
    id where they have none. Types are read together as long as they have no key in common; --type selects \
    one. Where messages have an index, objects stand so, in ties of --sort as well. Other control messages \
    are nothing. A snapshot that does not end is a bad line and changes nothing.
    An object that meets --delete-when is removed from what is known, and comes back with a line that does \
    not meet it. With --expire it is removed when it has not been written for a time.

    The end
    The tool ends at the end of its input, or before: --until with an object that arrives, --until-empty and \
    --until-count with the number of objects, or of groups, in the result. That number counts once it has \
    been another one, or when there is nothing to read for now.

    Tables
    On a terminal, --output table draws the objects that fit, at most 20 times a second. Values that differ \
    from the version shown before are marked, and so are rows: + is new, ~ has changed. At the end of the \
    input the table stays until q, and with --keep-screen what it shows is left on the terminal.
    Keys: arrows or h j k l move the cursor, page up and down or b and space move by a page, g or Home to \
    the first row, G or End to the last. When rows move, the cursor stays on its object, but on the first \
    row, and after G on the last. / looks for a text in the values of the columns, without regard to case, \
    from the row of the cursor on; n is the next row with it, N the one before. s sorts by the column of the \
    cursor, s again the other way round, and a third time as --sort says; with --limit, what is within it. \
    Enter shows the whole object, Escape the table again. ^L draws again, ^Z suspends, q quits.
    The key's columns stay where they are. Texts are cut where room is short, numbers never are. --chart \
    draws a bar for the first total of each group, of which the longest is that of the largest total in \
    view, or the course of its values if there is a trend.
    In a pipe or file, and with --once, a table is text: one when there is nothing more to read for now, and \
    one at the end.

    Rows of values
    Under --output csv and tsv a row is a change: version, change, oldIndex, newIndex and the columns, with \
    --once an object: the columns alone. The first row has the titles. Without --columns, the columns are \
    the paths in the first objects, with --once in all. What is missing is empty, and so is null; in CSV an \
    empty string is "". Of equal titles the second is a_2. In TSV tab, newline, return and backslash are \
    \\t, \\n, \\r and \\\\.

    Lines of a template
    --format prints a line for each change, with the value at the path in each pair of braces: of the object \
    as it is now, or was last. A path behind @ is one in the line of --output json, as {@change} or \
    {@old.state}. {{ and }} are braces, \\n is a newline, \\t a tab. What is missing or null is empty; in \
    values a newline is written as \\n, a tab as \\t, and what a terminal obeys as in JSON. Moves have no \
    line, and changes of values that the template does not name have none either. --exec is given whole \
    objects.

    Changes as JSON
    --changes-where prints only the changes whose line of JSON meets a filter, as 'change == "delete"' or \
    'old.state == "new" AND new.state != "new"'. Its paths are those of the objects, whatever --columns \
    prints of them. --exec is given the same changes.
    Under --output json the lines of one version are one change set: take out delete and move by oldIndex, \
    put in initial, insert and move at newIndex in ascending order, then set modify at newIndex. With \
    --columns, old and new have the titles as keys, and null for what is missing.

    Commands
    --exec runs COMMAND by /bin/sh -c for the first result, and then for each version in which it changed. \
    On its input are the lines that --output json prints of the version, with --once the objects; without a \
    line it is not run. LIVESTORE_VERSION is the version, LIVESTORE_COUNT the number of objects. It prints \
    where the tool does, but not over a table on a terminal.
    One command runs at a time, and nothing else waits for it: versions that come meanwhile are one change \
    set for the next. It need not read its input. If it ends with another status than 0, that is said on \
    standard error, and the tool goes on and ends with status 3, unless it has another reason. At the end of \
    the input the last command is waited for. If the tool is stopped, the command and its children get \
    SIGTERM, and after two seconds SIGKILL. If the tool itself is killed by SIGKILL, a command that reads \
    its input sees the end of it, and no other ends.

    Groups
    Groups are totalled in one pass, live and with --once: objects are not kept. By its key, what each \
    object contributes is, since a later line may replace or remove it. With --no-key no line can, and \
    memory follows the number of groups alone. --distinct keeps the objects.
    Sums are exact, and averages are rounded once. Percentiles are values that are there, by nearest rank as \
    percentile_disc of PostgreSQL. --min and --max are of numbers, or of texts in a group without numbers. \
    Equal numbers are one value, however they are written, and printed in their shortest form; null is not \
    counted among different values. For percentiles, distinct counts, and --min and --max unless --no-key is \
    given, the different values of a group are kept. Without --group-by, all objects are one group.
    --every groups by windows of time, first of all: window is where one begins, in UTC and at a multiple of \
    its length since 1970, and rate is the count per second. The time at PATH is a number of seconds since \
    1970, or of milliseconds if it is above 1e11, a date such as 20261129, or a text of ISO 8601, in UTC if it does not say \
    otherwise; lines without one are left out, and counted at the end. Every line counts in its window, \
    whether or not a later one replaces its object, and removals count nothing. The newest 1,000 windows are \
    kept, with --once all. With --chart, groups are not split by windows: each has the totals of the newest \
    window, and trend, the counts of the last 30 windows. A group is removed when all of them are 0.

    Named queries
    --query reads $XDG_CONFIG_HOME/livestore-watch/queries, ~/.config/livestore-watch/queries, or the file \
    of --queries. Each line is NAME: OPTIONS, with quotation marks and backslashes as in a shell, and \
    nothing is expanded. Files may be among the options. # begins a line that is a comment, and a backslash \
    at the end of a line joins it with the next.
    The tool does what the query and the command line ask for together. Of an option that both have, that of \
    the command line counts.

    Progress
    --progress draws a line on the terminal of standard error, at most ten times a second: how much has been \
    read, how many bad lines there were, a bar, lines and bytes a second, and the time left at that rate. Of \
    a pipe, and with --follow, the size is not known: there are amounts and the time that has passed. What \
    the tool prints on the same terminal goes above the line. At the end it stays, and shows the whole. A \
    live table has it in its first line instead.
    Where standard error is no terminal, there is a line every five seconds. Reading never waits for any of \
    this. While nothing can be read, nothing changes.
    """

  /// The statuses with which the tool ends.
  static var statuses: [(code: Int32, meaning: String)] {
    ExitStatus.allCases.map { ($0.rawValue, $0.meaning) }
  }
}
