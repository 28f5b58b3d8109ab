import LiveStore

/// What the command line asks for.
package enum Invocation: Hashable, Sendable {
  /// Watch, with these options.
  case watch(WatchOptions)
  /// Print the help.
  case help
  /// Print what filters are.
  case filterHelp
  /// Print the version.
  case version
  /// Print the manual page.
  case manual
  /// Print completions for a shell.
  case completions(Shell)
  /// Print how a command line may go on, of which the cursor is between two texts.
  case continuations(before: String, after: String)
}

extension Invocation {
  /// Reads the arguments after the tool's name.
  ///
  /// Options and files may be mixed; `--name value` and `--name=value` are alike; after `--` all are files.
  package init(arguments: [String]) throws(Exit) {
    // What the scripts of shells call.
    if arguments.count == 3, arguments[0] == "--complete" {
      self = .continuations(before: arguments[1], after: arguments[2])
      return
    }
    var reader = OptionReader(arguments: arguments)
    self = try reader.invocation()
  }

  /// The text that is asked for; nil for a watch.
  package var text: String? {
    switch self {
    case .watch: nil
    case .help: Help.text
    case .filterHelp: Help.filters
    case .version: Help.version
    case .manual: ManualPage.text
    case .completions(let shell): shell.completions
    case .continuations(let before, let after):
      CommandLineEnd(before: before, after: after).continuations.joined(separator: "\n")
    }
  }
}

extension WatchOptions {
  /// What can be read of a command line that is not complete.
  init(draft arguments: [String]) {
    var reader = OptionReader(arguments: arguments, isDraft: true)
    _ = try? reader.invocation()
    self = reader.options
  }
}

/// One pass over the arguments, and over those of the query that they name.
private struct OptionReader {
  var arguments: ArraySlice<String>
  var options = WatchOptions()
  /// The options that have been seen, in order. One with an argument may be given once, since a second would silently
  /// win.
  var seen: [ToolOption] = []
  /// Whether the arguments are those of a named query.
  var isInQuery = false
  /// Whether mistakes are skipped.
  let isDraft: Bool

  init(arguments: [String], isDraft: Bool = false) {
    (self.arguments, self.isDraft) = (arguments[...], isDraft)
  }

  mutating func invocation() throws(Exit) -> Invocation {
    let commandLine = arguments
    if let answer = try readAll() { return answer }
    if let name = options.queryName { try readQuery(name, before: commandLine) }
    if !seen.contains(where: { $0.name == "--input" }), let format = InputFormat.named(by: options.files) {
      options.format = format
    }
    try check()
    return .watch(options)
  }

  /// Reads the query of a name, and the command line after it, so that its options win.
  private mutating func readQuery(_ name: String, before commandLine: ArraySlice<String>) throws(Exit) {
    let query = try QueryFile(options.queriesPath).query(name)
    (options, seen, arguments, isInQuery) = (WatchOptions(), [], query.arguments[...], true)
    do throws(Exit) {
      _ = try readAll()
    } catch {
      throw Exit(error.status, "\(query.place): \(error.message ?? "")", details: error.details)
    }
    let queried = seen
    (seen, arguments, isInQuery) = ([], commandLine, false)
    _ = try readAll()
    seen += queried
  }

  private mutating func readAll() throws(Exit) -> Invocation? {
    while let argument = arguments.popFirst() {
      if argument == "--" {
        options.files += arguments
        arguments = []
      } else if !argument.hasPrefix("-") || argument == "-" {
        options.files.append(argument)
      } else {
        do throws(Exit) {
          if let answer = try read(argument) { return answer }
        } catch {
          if !isDraft { throw error }
        }
      }
    }
    return nil
  }

  /// Reads an option, and its argument if it has one; what is to be answered instead of a watch, if anything.
  private mutating func read(_ argument: String) throws(Exit) -> Invocation? {
    let parts = argument.parts(at: "=", maxSplits: 1)
    guard let option = ToolOption.named(parts[0]) else {
      let suggestion = OptionArgument.suggestion(for: parts[0], in: ToolOption.all.map(\.name))
      throw .usage("unknown option \(parts[0])\(suggestion)")
    }
    let name = option.name
    if isInQuery, !option.isForQueries { throw .usage("\(name) is no option of a query") }
    if !option.isValued, parts.count > 1 { throw .usage("\(name) takes no value") }
    func value() throws(Exit) -> OptionArgument {
      guard var text = parts.dropFirst().first ?? arguments.popFirst() else {
        throw .usage("\(name) needs a value")
      }
      if name == "--percentile", Percentile.isList(text), let paths = arguments.first, !paths.hasPrefix("-") {
        text += " " + paths
        arguments.removeFirst()
      }
      if seen.contains(where: { $0.name == name }) { throw .usage("\(name) is given twice") }
      return OptionArgument(option: name, text: text)
    }
    defer { seen.append(option) }
    switch option.action {
    case .flag(let set): set(&options)
    case .value(let set): try set(try value(), &options)
    case .answer(.help) where arguments.first == "filters": return .filterHelp
    case .answer(let answer): return answer
    case .choice(let choose): return try choose(try value())
    }
    return nil
  }

  /// Checks the paths in what is known: the lines of changes, and groups.
  private func checkPaths() throws(Exit) {
    let members = ["version", "time", "change", "id", "oldIndex", "newIndex", "old", "new"]
    let changes = (options.changes?.keyPaths ?? []).map { ("--changes-where", $0.steps) }
    for (option, path) in changes + (options.template?.changePaths ?? []).map({ ("--format", $0) })
    where !members.contains(path[0]) {
      throw .usage(
        "\(option): the line of --output json has no \(path[0]), but \(members.joined(separator: ", ")); "
          + "a value is new.\(KeyPathText(steps: path))")
    }
    guard let groups = options.groups else { return }
    let names = Set(groups.titles.map(ComparedText.init))
    let paths =
      options.sortKeys.map { ("--sort", $0.path.steps) }
      + (options.columns ?? []).map { ("--columns", $0.path) }
      + (options.template?.paths ?? []).map { ("--format", $0) }
    for (option, path) in paths {
      let title = KeyPathText(steps: path).title
      if names.contains(ComparedText(title)) { continue }
      let suggestion = OptionArgument.suggestion(for: title, in: groups.titles)
      throw .usage(
        "\(option): a group has no \(title), but \(groups.titles.joined(separator: ", "))\(suggestion)")
    }
  }

  /// Checks what excludes each other.
  private func check() throws(Exit) {
    if options.isFollowing, !options.files.contains(where: { $0 != "-" }) {
      throw .usage("--follow needs a FILE; standard input is read to its end anyway")
    }
    let excluded = [
      "--follow": ["--once"], "--expire": ["--once"], "--until-count": ["--once", "--until-empty"],
      "--until-empty": ["--once"], "--no-key": ["--key", "--envelope"], "--format": ["--columns"],
      "--changes-where": ["--once"], "--every": ["--distinct", "--expire"],
    ]
    for option in seen {
      if let other = seen.first(where: { excluded[option.name]?.contains($0.name) == true }) {
        throw .usage("\(option.name) and \(other.name) exclude each other")
      }
    }
    if options.template != nil, options.output != .changes { throw .usage("--format needs --output changes") }
    if options.changes != nil, options.command == nil, [.count, .table].contains(options.output) {
      throw .usage("--changes-where needs --output changes, json, csv or tsv, or --exec")
    }
    try checkPaths()
    if let groups = options.groups, let twice = groups.repeatedTitle {
      throw .usage(
        "\(options.groupPaths.isEmpty ? "totals" : "--group-by"): two values of a group would have the name \(twice)"
      )
    }
    if options.showsChart, !options.isGrouped || options.output != .table {
      throw .usage("--chart needs \(options.isGrouped ? "--output table" : "--group-by")")
    }
    if options.keepsScreen, options.output != .table { throw .usage("--keep-screen needs --output table") }
    let rowOptions = ["--delimiter", "--no-header", "--comment", "--nested", "--text", "--number"]
    if let option = seen.first(where: { rowOptions.contains($0.name) }) {
      let isCSV = options.format == .csv || options.format == .tsv && option.name != "--delimiter"
      let isForAll = options.format == .logfmt && ["--nested", "--text", "--number"].contains(option.name)
      if !isCSV && !isForAll { throw .usage("\(option.name) needs --input csv") }
    }
    if options.type != nil, options.envelope != .state { throw .usage("--type needs --envelope state") }
    if options.key != nil, options.envelope == .state {
      throw .usage("--key and --envelope state exclude each other: its messages have keys")
    }
    if options.queriesFile != nil, options.queryName == nil { throw .usage("--queries needs --query") }
    guard options.demo else { return }
    if !options.files.isEmpty { throw .usage("--demo reads no files, but \(options.files[0]) is given") }
    if let option = seen.first(where: { !$0.isForDemo }) {
      throw .usage("--demo and \(option.name) exclude each other")
    }
  }
}
