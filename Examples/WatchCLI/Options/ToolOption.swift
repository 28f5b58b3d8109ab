/// An option of the command line: the one definition of which parsing, `--help`, completions and the manual are made.
package struct ToolOption: Sendable {
  /// The headings under which the options are listed.
  package enum Group: String, CaseIterable, Sendable {
    case input = "Input"
    case query = "Query"
    case output = "Output"
    case other = "Other"
  }

  /// What a shell offers in the place of an option's argument.
  package enum Completion: Hashable, Sendable {
    /// Nothing: only the user knows.
    case none
    /// One of these words, each with what it means.
    case choice([Choice])
    /// The paths of the objects in the files that are named.
    case paths
    /// The names of queries.
    case queries
    /// Files.
    case files

    /// What is offered for an argument by what it is called.
    init(argument: String) {
      switch argument {
      case "PATH", "PATHS": self = .paths
      case "QUERY": self = .queries
      case "FILE": self = .files
      default: self = .none
      }
    }
  }

  /// A word that an option accepts.
  package struct Choice: Hashable, Sendable {
    /// The word.
    package let word: String
    /// What it means, in a few words.
    package let summary: String
  }

  /// What the option does.
  enum Action: Sendable {
    /// Sets something without an argument.
    case flag(@Sendable (inout WatchOptions) -> Void)
    /// Sets something to the argument.
    case value(@Sendable (OptionArgument, inout WatchOptions) throws(Exit) -> Void)
    /// Asks for something else than a watch.
    case answer(Invocation)
    /// Asks for something else than a watch, which the argument chooses.
    case choice(@Sendable (OptionArgument) throws(Exit) -> Invocation)
  }

  /// The name with its hyphens.
  package let name: String
  /// The name with one hyphen, if there is one.
  package let shortName: String?
  /// What the argument is called; nil if there is none.
  package let argument: String?
  /// What the option is for: a sentence without an end, whose first part, up to a semicolon, is enough for a list.
  package let summary: String
  /// Where it is listed.
  package let group: Group
  /// What a shell offers for its argument.
  package let completion: Completion
  let action: Action

  /// The long name and the short one.
  package var spellings: [String] { [name, shortName].compactMap(\.self) }

  /// Whether it needs an argument.
  package var isValued: Bool { argument != nil }

  /// The name and what the argument is called: `--limit N`.
  package var heading: String {
    (shortName.map { "\($0), " } ?? "") + name + (argument.map { " \($0)" } ?? "")
  }

  /// Whether a named query may have it.
  var isForQueries: Bool { group != .other && !["--query", "--queries"].contains(name) }

  /// Whether `--demo` allows it.
  var isForDemo: Bool {
    group == .other || ["--output", "--columns", "--keep-screen", "--timestamps", "--color"].contains(name)
  }

  /// The words that it accepts, if they are known.
  package var choices: [Choice] {
    if case .choice(let choices) = completion { choices } else { [] }
  }
}

extension ToolOption {
  /// An option that takes an argument.
  static func value(
    _ name: String, or shortName: String? = nil, _ argument: String, _ group: Group, _ summary: String,
    choices: [Choice] = [],
    _ set: @escaping @Sendable (OptionArgument, inout WatchOptions) throws(Exit) -> Void
  ) -> ToolOption {
    ToolOption(
      name: name, shortName: shortName, argument: argument, summary: summary, group: group,
      completion: choices.isEmpty ? Completion(argument: argument) : .choice(choices),
      action: .value(set))
  }

  /// An option that sets a property to what is read of its argument.
  static func value<Value>(
    _ name: String, or shortName: String? = nil, _ argument: String, _ group: Group, _ summary: String,
    _ property: any WritableKeyPath<WatchOptions, Value> & Sendable,
    _ read: @escaping @Sendable (OptionArgument) -> () throws(Exit) -> Value
  ) -> ToolOption {
    value(name, or: shortName, argument, group, summary) {
      argument, options throws(Exit) in options[keyPath: property] = try read(argument)()
    }
  }

  /// An option that sets a property to one of the cases of its type.
  static func choice<Value: OptionChoice>(
    _ name: String, or shortName: String? = nil, _ argument: String, _ group: Group, _ summary: String,
    _ property: any WritableKeyPath<WatchOptions, Value> & Sendable
  ) -> ToolOption {
    value(name, or: shortName, argument, group, summary, choices: Value.choices) {
      argument, options throws(Exit) in options[keyPath: property] = try argument.choice()
    }
  }

  /// An option without an argument, which sets a property.
  static func flag(
    _ name: String, or shortName: String? = nil, _ group: Group, _ summary: String,
    _ property: any WritableKeyPath<WatchOptions, Bool> & Sendable, to value: Bool = true
  ) -> ToolOption {
    ToolOption(
      name: name, shortName: shortName, argument: nil, summary: summary, group: group, completion: .none,
      action: .flag { $0[keyPath: property] = value })
  }

  /// An option that asks for a text.
  static func answer(_ name: String, or shortName: String? = nil, _ summary: String, _ answer: Invocation)
    -> ToolOption
  {
    ToolOption(
      name: name, shortName: shortName, argument: nil, summary: summary, group: .other, completion: .none,
      action: .answer(answer))
  }
}

/// A type of which an option accepts each case by its raw value.
package protocol OptionChoice: CaseIterable, RawRepresentable<String>, Sendable {
  /// What the case means, in a few words.
  var summary: String { get }
}

extension OptionChoice {
  /// The words for the cases.
  package static var choices: [ToolOption.Choice] {
    allCases.map { ToolOption.Choice(word: $0.rawValue, summary: $0.summary) }
  }
}
