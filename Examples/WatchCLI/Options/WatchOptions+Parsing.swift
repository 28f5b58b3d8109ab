import LiveStore

/// What the command line asks for.
package enum Invocation: Hashable, Sendable {
  /// Watch, with these options.
  case watch(WatchOptions)
  /// Print the help.
  case help
  /// Print the version.
  case version
}

extension Invocation {
  /// Reads the arguments after the tool's name.
  ///
  /// Options and files may be mixed; `--name value` and `--name=value` are alike; after `--` all are files.
  package init(arguments: [String]) throws(Exit) {
    var reader = OptionReader(arguments: arguments)
    self = try reader.invocation()
  }
}

/// One pass over the arguments.
private struct OptionReader {
  var arguments: ArraySlice<String>
  var options = WatchOptions()
  /// The options with a value that have been seen, since a second one would silently win.
  var seen: Set<String> = []

  init(arguments: [String]) {
    self.arguments = arguments[...]
  }

  /// The options that take a value.
  static let valued = ["--key", "--where", "--sort", "--limit", "--batch", "--output", "--color"]
  /// The options that do not.
  static let flags = ["--once", "--strict", "--demo", "--help", "--version"]

  mutating func invocation() throws(Exit) -> Invocation {
    while let argument = arguments.popFirst() {
      if argument == "--" {
        options.files += arguments
        break
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        options.files.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      let name = parts[0] == "-h" ? "--help" : parts[0]
      if Self.valued.contains(name) {
        guard let value = parts.dropFirst().first ?? arguments.popFirst() else {
          throw .usage("\(name) needs a value")
        }
        guard seen.insert(name).inserted else { throw .usage("\(name) is given twice") }
        try set(name, to: value)
      } else if Self.flags.contains(name) {
        if parts.count > 1 { throw .usage("\(name) takes no value") }
        switch name {
        case "--help": return .help
        case "--version": return .version
        case "--once": options.once = true
        case "--strict": options.strict = true
        default: options.demo = true
        }
      } else {
        throw .usage("unknown option \(name)\(Self.suggestion(for: name, in: Self.valued + Self.flags))")
      }
    }
    try check()
    return .watch(options)
  }

  private mutating func set(_ name: String, to value: String) throws(Exit) {
    switch name {
    case "--key":
      guard let path = KeyPathText(value) else { throw .usage("--key \(value): not a key path such as a.b") }
      options.key = path
    case "--where":
      do throws(FilterSyntaxError) {
        options.filter = try FilterSyntax(parsing: value)
      } catch {
        throw Exit(.usage, "--where: \(error)", details: FilterExcerpt.lines(of: value, at: error.column))
      }
    case "--sort": options.sortKeys = try Self.sortKeys(value)
    case "--limit": options.limit = try Self.number(value, for: name, atLeast: 0)
    case "--batch": options.batch = try Self.number(value, for: name, atLeast: 1)
    case "--output": options.output = try Self.choice(value, for: name)
    default: options.color = try Self.choice(value, for: name)
    }
  }

  private func check() throws(Exit) {
    guard options.demo else { return }
    if options.once { throw .usage("--demo and --once exclude each other") }
    if !options.files.isEmpty { throw .usage("--demo reads no files, but \(options.files[0]) is given") }
    if let name = ["--key", "--where", "--sort", "--limit", "--batch"].first(where: seen.contains) {
      throw .usage("--demo and \(name) exclude each other")
    }
  }

  private static func sortKeys(_ text: String) throws(Exit) -> [SortKey] {
    var keys: [SortKey] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let pieces = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let path = KeyPathText(String(pieces[0])) else {
        throw .usage("--sort \(text): expected a key path such as a.b, found \"\(part)\"")
      }
      guard pieces.count == 1 || pieces[1] == "asc" || pieces[1] == "desc" else {
        throw .usage("--sort \(text): expected asc or desc after \(path):, found \"\(pieces[1])\"")
      }
      keys.append(SortKey(path: path, isDescending: pieces.last == "desc" && pieces.count == 2))
    }
    return keys
  }

  private static func number(_ text: String, for name: String, atLeast least: Int) throws(Exit) -> Int {
    guard let number = Int(text), number >= least else {
      throw .usage("\(name) \(text): expected a whole number of at least \(least)")
    }
    return number
  }

  private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ text: String, for name: String
  ) throws(Exit) -> Choice {
    guard let choice = Choice(rawValue: text) else {
      let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      let suggestion = Self.suggestion(for: text, in: Choice.allCases.map(\.rawValue))
      throw .usage("\(name) \(text): expected one of \(choices)\(suggestion)")
    }
    return choice
  }

  /// The name that was probably meant, as a question in parentheses; nothing if there is none.
  private static func suggestion(for name: String, in names: [String]) -> String {
    NearestWord.find(name, in: names).map { " (did you mean \($0)?)" } ?? ""
  }
}
