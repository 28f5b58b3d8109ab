extension ToolOption {
  /// All options, in the order in which they are listed.
  package static let all = input + query + output + other

  /// The option of a name, long or short.
  package static func named(_ name: String) -> ToolOption? {
    all.first { $0.name == name || $0.shortName == name }
  }

  private static let input = [
    choice(
      "--input", "FORMAT", .input, "how objects are written (json, or as FILE ends: .csv, .tsv)", \.format),
    choice("--encoding", "NAME", .input, "how characters are encoded (utf-8)", \.encoding),
    value(
      "--delimiter", "CHARACTER", .input,
      "what separates the fields of CSV (,), as ';'; also tab, comma, semicolon, pipe or space",
      \.rows.delimiter, OptionArgument.delimiter),
    flag(
      "--no-header", .input,
      "the first row of CSV or TSV is no row of names: columns are called 1, 2, and so on", \.rows.hasTitles,
      to: false),
    value("--comment", "TEXT", .input, "skip lines that begin with it before the names of CSV or TSV, as '#'")
    { $1.rows.comment = Array($0.text.utf8) },
    flag(
      "--nested", .input,
      "names such as owner.name in CSV, TSV and logfmt are paths: an object owner with a name",
      \.rows.isNested),
    value(
      "--text", "PATHS", .input, "values of rows that are text, whatever they look like", \.rows.texts,
      OptionArgument.pathSet),
    value(
      "--number", "PATHS", .input, "values of rows that are numbers wherever they can be: 007 is 7",
      \.rows.numbers, OptionArgument.pathSet),
    value(
      "--key", or: "-k", "PATHS", .input,
      "where the identity of an object stands (id); several as tenant,id are one together"
    ) { argument, options throws(Exit) in
      options.key = ObjectKey(try argument.paths())
    },
    flag(
      "--no-key", .input, "every line is an object of its own, which no other replaces, as in a log",
      \.isKeyless),
    value(
      "--envelope", "FORMAT", .input, "what each line is in; it says what becomes of the object",
      choices: Envelope.choices
    ) { argument, options throws(Exit) in
      options.envelope = try argument.choice()
    },
    value("--type", "NAME", .input, "of --envelope state, the messages with this type alone") {
      $1.type = $0.text
    },
    value(
      "--delete-when", "FILTER", .input, "which objects are removed when they arrive, as 'deletedAt != nil'",
      \.deletion, OptionArgument.filter),
    value(
      "--batch", "LINES[,MS]", .input,
      "lines to a transaction; by default 1000 or more of a file, and of a pipe what is there to read. With 1000,50ms fewer "
        + "lines wait for others no longer than 50 ms"
    ) { argument, options throws(Exit) in
      (options.batch, options.batchTime) = try argument.batch()
    },
    flag(
      "--follow", or: "-f", .input,
      "read every FILE on when it grows, also after it is truncated, overwritten or replaced, and wait for one that "
        + "is not there yet, as tail -F", \.isFollowing),
    value(
      "--until", "FILTER", .input, "end when an object that meets it arrives; if none does, with status 2",
      \.end, OptionArgument.filter),
    value(
      "--until-count", "COUNT", .input,
      "end when the result has so many objects or more, or as many as '< 3' says; else with status 2",
      \.endCount, OptionArgument.count),
    ToolOption(
      name: "--until-empty", shortName: nil, argument: nil,
      summary: "end when there is no object in the result; else with status 2", group: .input,
      completion: .none, action: .flag { $0.endCount = .empty }),
    value(
      "--expire", "TIME", .input, "remove an object that has not been written for so long, as 60s, 5m or 2h",
      \.expiry, OptionArgument.duration),
    value(
      "--timeout", "SECONDS", .input, "end after so long, with status 124", \.timeout, OptionArgument.seconds),
    flag("--strict", .input, "stop at the first bad line, with status 1", \.strict),
  ]

  private static let query = [
    value(
      "--where", or: "-w", "FILTER", .query,
      "which objects to watch, as 'status == \"open\" AND priority >= 2'", \.filter, OptionArgument.filter),
    value(
      "--sort", or: "-s", "PATHS", .query,
      "in which order, as priority:desc,title; ties stand in order of insertion", \.sortKeys,
      OptionArgument.sortKeys),
    value(
      "--distinct", "PATH", .query, "only the first object of each value", \.distinct, OptionArgument.path),
    value(
      "--group-by", "PATHS", .query,
      "show a line for each value, or each combination of several, instead of the objects; --sort and --limit are then about groups",
      \.groupPaths, OptionArgument.paths),
    flag(
      "--count", .query, "how many objects a group has, as count; the default without other totals",
      \.countsGroups),
    totals("--sum", .sum, "the sums of numbers of a group, as sum(PATH); without --group-by, of all objects"),
    totals("--avg", .average, "the averages of numbers, as avg(PATH)"),
    totals("--min", .least, "the smallest numbers, or texts where there are none, as min(PATH)"),
    totals("--max", .greatest, "the largest, as max(PATH)"),
    totals("--distinct-count", .distinctCount, "how many different values there are, as distinct(PATH)"),
    value(
      "--percentile", "P PATHS", .query,
      "percentiles of numbers: 50,99 latency are p50(latency) and p99(latency)"
    ) { argument, options throws(Exit) in
      options.groupTotals.removeAll { if case .percentile = $0.kind { true } else { false } }
      options.groupTotals += try argument.percentiles()
    },
    value(
      "--every", "TIME[,PATH]", .query,
      "totals for each window of time, of the lines that arrive in it, as 10s; 1m,ts goes by the time at ts",
      \.every, OptionArgument.window),
    value("--limit", or: "-n", "N", .query, "only the first N of them", \.limit, OptionArgument.number),
    value(
      "--query", "QUERY", .query,
      "the options of a named query as well; of an option that both have, that of the command line counts"
    ) { $1.queryName = $0.text },
    value(
      "--queries", "FILE", .query,
      "the file of named queries, lines NAME: OPTIONS (~/.config/livestore-watch/queries)"
    ) { $1.queriesFile = $0.text },
    flag("--explain", .query, "say on standard error how the query is evaluated", \.explains),
  ]

  private static func totals(_ name: String, _ kind: GroupTotal.Kind, _ summary: String) -> ToolOption {
    value(name, "PATHS", .query, summary) { argument, options throws(Exit) in
      // Those of a named query.
      options.groupTotals.removeAll { $0.kind == kind }
      options.groupTotals += try argument.paths().map { GroupTotal(kind: kind, path: $0) }
    }
  }

  private static let output = [
    choice("--output", or: "-o", "FORM", .output, "what is printed (changes)", \.output),
    value(
      "--columns", "PATHS", .output,
      "what is printed of an object, as id,owner.name=Owner; changes of other values are left out", \.columns,
      OptionArgument.columns),
    value(
      "--format", "TEMPLATE", .output,
      "a line for each change, as '{name} is {status.phase}'; {@change} and {@old.name} are from the line of "
        + "--output json", \.template, OptionArgument.template),
    value(
      "--changes-where", "FILTER", .output,
      "which changes are printed, as 'old.state != new.state' or 'change == \"insert\"'; paths are those of "
        + "--output json", \.changes, OptionArgument.filter),
    flag(
      "--chart", .output,
      "draw a bar for the first total of each group behind the columns of --output table", \.showsChart),
    flag(
      "--keep-screen", .output, "leave the last screen of a live table on the terminal",
      \.keepsScreen),
    flag("--timestamps", .output, "print the time, in UTC, with each version", \.timestamps),
    value(
      "--exec", "COMMAND", .output,
      "run it by /bin/sh -c for each version, with the lines of --output json on its standard input",
      \.command, OptionArgument.command),
    flag(
      "--progress", .output,
      "show on standard error how much has been read, how fast, and how much time is left", \.showsProgress),
    flag(
      "--quiet", .output, "show no progress on a terminal where reading a file takes longer than a second",
      \.isQuiet),
    flag("--once", .output, "read to the end, then print the result", \.once),
    choice("--color", "WHEN", .output, "whether there are colours (auto)", \.color),
  ]

  private static let other = [
    flag(
      "--demo", .other, "watch a small social feed, written by several tasks; needs no input", \.demo),
    answer("--help", or: "-h", "print this help; --help filters is about filters", .help),
    answer("--version", "print the version", .version),
    answer("--man", "print the manual page; livestore-watch --man | man -l - shows it", .manual),
    ToolOption(
      name: "--completions", shortName: nil, argument: "SHELL", summary: "print completions for a shell",
      group: .other, completion: .choice(Shell.choices),
      action: .choice { argument throws(Exit) in .completions(try argument.choice()) }),
  ]
}
