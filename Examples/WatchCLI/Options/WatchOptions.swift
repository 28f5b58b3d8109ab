package import LiveStore

/// What the tool was asked to do.
package struct WatchOptions: Hashable, Sendable {
  /// The files to read, in order; `-` is standard input.
  package var files: [String] = []
  /// Where the identity of an object stands; nil for what the envelope says, or `id`.
  package var key: ObjectKey?
  /// Whether every line is an object of its own.
  package var isKeyless = false
  /// How objects are written in the input.
  package var format = InputFormat.json
  /// How characters are encoded in the input.
  package var encoding = InputEncoding.utf8
  /// How rows become objects.
  package var rows = RowRules()
  /// What the lines of the input are in.
  package var envelope: Envelope?
  /// The type of the messages that are read; all if nil.
  package var type: String?
  /// The objects that are removed when they arrive.
  package var deletion: FilterSyntax?
  /// Which objects are watched; all if nil.
  package var filter: FilterSyntax?
  /// In which order; that of insertion where it is empty or leaves ties.
  package var sortKeys: [SortKey] = []
  /// The path of which each value is shown once.
  package var distinct: KeyPathText?
  /// The paths by whose values they are grouped.
  package var groupPaths: [KeyPathText] = []
  /// Whether groups show how many objects they have.
  package var countsGroups = false
  /// The totals that groups show.
  package var groupTotals: [GroupTotal] = []
  /// The windows of time by which they are grouped; nil for none.
  package var every: GroupWindow?
  /// How many of them, from the first.
  package var limit: Int?
  /// How many lines make a transaction; nil is 1,000 or more for regular files and what is there to read for pipes.
  package var batch: Int?
  /// After how many milliseconds a transaction is made of fewer lines; nil waits for all.
  package var batchTime: Int32?
  /// What is printed.
  package var output = OutputMode.changes
  /// What is shown of an object; nil for everything.
  package var columns: [Column]?
  /// The form of the lines to look at.
  package var template: LineTemplate?
  /// The changes that are printed; all if nil.
  package var changes: FilterSyntax?
  /// Whether a table of groups has a bar for each.
  package var showsChart = false
  /// Whether the last screen of a live table stays on the terminal.
  package var keepsScreen = false
  /// Whether standard error shows how far reading has come.
  package var showsProgress = false
  /// Whether it does not either where reading takes long.
  package var isQuiet = false
  /// Whether the time is printed with each version.
  package var timestamps = false
  /// The command that is run for each version.
  package var command: String?
  /// Whether colours are used.
  package var color = ColorMode.auto
  /// Read everything first, then print the result.
  package var once = false
  /// Read every file on when it grows, and wait for those that are not there yet.
  package var isFollowing = false
  /// The objects of which the first ends the input.
  package var end: FilterSyntax?
  /// How many objects the result has when the input ends.
  package var endCount: CountCondition?
  /// For how many seconds an object stays that is not written.
  package var expiry: Double?
  /// How many seconds the tool runs at most.
  package var timeout: Double?
  /// Say how the query is evaluated.
  package var explains = false
  /// Stop at the first bad line.
  package var strict = false
  /// The name of a query whose options are taken as well.
  package var queryName: String?
  /// The file of named queries; nil for the standard one.
  package var queriesFile: String?
  /// Show the built-in example instead of reading input.
  package var demo = false

  /// Every option at its default.
  package init() {}
}

/// The forms of output.
package enum OutputMode: String, OptionChoice, Hashable {
  case changes, json, table, csv, tsv, count

  /// What is printed.
  package var summary: String {
    switch self {
    case .changes: "lines to look at"
    case .json: "one JSON object for each change"
    case .table: "a live table on a terminal, else the result whenever there is nothing to read"
    case .csv: "a row of values for each change, as in RFC 4180"
    case .tsv: "the same with tabs"
    case .count: "how many objects there are"
    }
  }
}

/// When colours are used.
package enum ColorMode: String, OptionChoice, Hashable {
  case auto, always, never

  /// When there are colours.
  package var summary: String {
    switch self {
    case .auto: "on a terminal, unless NO_COLOR is set"
    case .always: "also in a file or pipe"
    case .never: "not at all"
    }
  }
}

/// One key of the order, `priority:desc`.
package struct SortKey: Hashable, Sendable {
  /// Where the value stands in an object.
  package let path: KeyPathText
  /// True if large values come first.
  package let isDescending: Bool

  /// A key of the order.
  package init(path: KeyPathText, isDescending: Bool) {
    (self.path, self.isDescending) = (path, isDescending)
  }
}
