import LiveStore

/// What kinds of values have been written to a column, as far as the values of a column do not say it: SQLite has no
/// Booleans, a text may be JSON, and bytes may be an id or data.
///
/// The file has them for each column, so that it can be read without its types. A kind that was written once stays, so
/// where there is one kind, all values are of it (X8).
///
/// Of two kinds that SQLite stores alike, such as `Bool`s and numbers, the first to be written to a column is its native
/// one, which is stored as it is. Values of the other are stored as JSON in bytes (`MarkedBytes`). So an enumeration that
/// has a `Bool` or a number, or a text or an array, is read as it was written.
struct ValueKinds: OptionSet, Hashable, Sendable {
  let rawValue: Int

  static let number = ValueKinds(rawValue: 1)
  static let bool = ValueKinds(rawValue: 2)
  static let text = ValueKinds(rawValue: 4)
  static let json = ValueKinds(rawValue: 8)
  static let uuid = ValueKinds(rawValue: 16)
  static let data = ValueKinds(rawValue: 32)

  /// Of a column of which nothing is known.
  static let all: ValueKinds = [.number, .bool, .text, .json, .uuid, .data]

  /// The kinds that SQLite stores alike.
  private static let alike: [ValueKinds] = [[.number, .bool], [.text, .json], [.uuid, .data]]

  /// The native kinds. Where a column has kinds that are alike and neither is in it, both are stored as they are: nothing
  /// is known of it.
  var native: ValueKinds { ValueKinds(rawValue: rawValue >> 8) }

  /// Kinds that are native.
  static func native(_ kinds: ValueKinds) -> ValueKinds {
    ValueKinds(rawValue: kinds.rawValue | kinds.rawValue << 8)
  }

  /// Adds the kind of a value that is written.
  ///
  /// - Returns: whether it is stored as it is.
  mutating func write(_ kind: ValueKinds) -> Bool {
    if native.isSuperset(of: kind) { return true }
    guard let alike = Self.alike.first(where: { $0.contains(kind) }) else { return true }
    let known = intersection(alike)
    formUnion(kind)
    if native.isDisjoint(with: alike) {
      // Of both, it is not known which was the first.
      if known == alike { return true }
      formUnion(.native(known.isEmpty ? kind : known))
    }
    return native.isSuperset(of: kind)
  }
}

extension CodedValue {
  /// The kind of the value; none if it is null.
  var kinds: ValueKinds {
    switch self {
    case .column(.null): []
    case .column(.integer), .column(.real): .number
    case .column(.text): .text
    case .column(.blob): .data
    case .bool: .bool
    case .uuid: .uuid
    case .array, .object, .json: .json
    }
  }

  /// What a column of some kinds stores for the value, whose kind is added to them.
  func column(_ kinds: inout ValueKinds) -> ColumnValue {
    kinds.write(self.kinds) ? column : .blob(MarkedBytes.json(json))
  }
}

extension StoredValue {
  /// The value that a column of no other kinds would have.
  init(_ value: CodedValue) { self.init(value.column, .native(value.kinds)) }

  /// A value of a column of some kinds, told from one of another kind that is stored alike.
  init(_ value: ColumnValue, _ kinds: ValueKinds) {
    self = .column(value)
    let native = kinds.native
    switch value {
    case .integer(let integer) where native.contains(.number): self = .json(JSONValue(integer))
    case .integer(let integer) where native.contains(.bool) && 0...1 ~= integer:
      self = .json(.bool(integer == 1))
    case .text(let text) where native.contains(.text): self = .text(text)
    case .text(let text) where native.contains(.json):
      if let value = try? JSONValue(parsing: text) { self = .json(value) }
    case .blob(let stored):
      stored.withUnsafeBytes { bytes in
        switch MarkedBytes.content(of: bytes) {
        case .json(let value): self = .json(value)
        case .bytes(let content):
          let bytes = content.count == stored.count ? stored : Array(content)
          let isKnown = !native.isDisjoint(with: [.uuid, .data])
          self = isKnown ? .bytes(bytes, isID: native.contains(.uuid)) : .column(.blob(bytes))
        }
      }
    case .null, .integer, .real, .text: break
    }
  }
}
