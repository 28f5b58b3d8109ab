/// How objects are written in the input.
package enum InputFormat: String, OptionChoice, Hashable {
  case json, csv, tsv, logfmt

  /// What the input consists of.
  package var summary: String {
    switch self {
    case .json: "objects, one a line or otherwise, and arrays and Kubernetes lists of them"
    case .csv: "rows below a row of names, quoted as in RFC 4180"
    case .tsv: "rows below a row of names, with \\t \\n \\r \\\\ in values"
    case .logfmt: "lines of name=value name=\"value\" name"
    }
  }

  /// The format in which the names of all files end, as in `people.csv`; nil if they do not say.
  static func named(by files: [String]) -> InputFormat? {
    let endings = files.map { String(decoding: $0.utf8.suffix(4), as: UTF8.self).lowercased() }
    let formats = Set(endings.map { ending in [csv, tsv].first { ".\($0)" == ending } })
    return formats.count == 1 ? formats.first.flatMap(\.self) : nil
  }

  /// Whether the first row of a file may have the names of the values.
  var hasTitles: Bool { self == .csv || self == .tsv }
}

/// Why a row is not an object.
package struct RowMistake: Error, Hashable {
  /// The reason, for a message.
  package let reason: String

  /// A reason.
  package init(reason: String) {
    self.reason = reason
  }
}

/// How rows become objects.
package struct RowRules: Hashable, Sendable {
  /// What separates the fields of CSV.
  package var delimiter = UInt8(ascii: ",")
  /// Whether the first row has the names of the columns, which are numbers otherwise.
  package var hasTitles = true
  /// What lines begin with that are skipped before the names.
  package var comment: [UInt8] = []
  /// Whether a name such as `owner.name` is a path: the member of an object `owner`.
  package var isNested = false
  /// The paths of which the values are always texts.
  package var texts: Set<KeyPathText> = []
  /// The paths of which the values are numbers wherever they can be, also with zeros in front.
  package var numbers: Set<KeyPathText> = []

  /// Commas, names in the first row, and values that are what they look like.
  package init() {}
}
