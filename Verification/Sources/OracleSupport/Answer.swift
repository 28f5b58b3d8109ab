import LiveStore

/// What the model says a source comes to at one version.
struct Answer: Sendable {
  /// Rows, or groups.
  var entries: [Entry] = []
  /// Sections, each with its number of rows.
  var sections: [Section] = []
  /// A count, an aggregate, an object.
  var value: Canon = .null
  /// Of entries in a list, which identities can be compared.
  var mark: Canon = .null
  var isList = false

  struct Entry: Sendable {
    var id: Canon
    /// What distinguishes occurrences in a list; elsewhere the id.
    var identity: Canon
    /// The listed properties.
    var values: [Canon]
    /// What makes a modification when it differs: the values and the linked values that the query names, or
    /// the properties an observer asked for.
    var compared: [Canon]
    /// All values with the linked ones: what an excluded commit is queryCase by.
    var state: [Canon] = []
    /// Another one if the object was deleted and inserted again.
    var insertion: Int?
    var queryCase: [Canon] { state.isEmpty ? compared : state }
    /// Whether the observer asked for properties behind links.
    var readsLinks = false
    /// Whether the query or its observer names values of other rows.
    var hasLinkedValues: Bool { readsLinks || queryCase.count > values.count }
  }

  struct Section: Hashable, Sendable {
    var key: Canon
    var count: Int
  }

  /// Whether an observer that was given this one receives nothing for the other.
  func isSame(as other: Answer) -> Bool {
    value == other.value && sections == other.sections && entries.count == other.entries.count
      && zip(entries, other.entries).allSatisfy {
        (isList ? $0.id == $1.id : $0.identity == $1.identity) && $0.compared == $1.compared
      }
  }

  /// Whether another has the same rows, whatever linked values are.
  func complaint(_ actual: Answer) -> String? {
    if value != actual.value { return "is \(actual.value), but should be \(value)" }
    if entries.map(\.id) != actual.entries.map(\.id) {
      return "has the objects \(brief(actual.entries)), but should have \(brief(entries))"
    }
    if sections != actual.sections {
      return "has the sections \(actual.sections), but should have \(sections)"
    }
    for (entry, other) in zip(entries, actual.entries) where entry.values != other.values {
      return "has for \(entry.id) the values \(other.values), but should have \(entry.values)"
    }
    return nil
  }

  private func brief(_ entries: [Entry]) -> String {
    let ids = entries.map { "\($0.id)" }
    return "[\(ids.prefix(40).joined(separator: " "))\(ids.count > 40 ? " and \(ids.count - 40) more" : "")]"
  }
}

extension Canon: CustomStringConvertible {
  var description: String {
    switch self {
    case .null: "nil"
    case .nan: "nan"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .exact(let value): "\(value.double)"
    case .text(let value): value.unicodeScalars.map { $0.escaped(asASCII: true) }.joined().quoted
    case .list(let values): "\(values)"
    case .members(let values): "{\(values.map { "\($0)" }.sorted().joined(separator: ", "))}"
    case .named(let values): "[\(values.map { "\($0): \($1)" }.sorted().joined(separator: ", "))]"
    }
  }
}

extension String {
  fileprivate var quoted: String { "\"\(self)\"" }
}
