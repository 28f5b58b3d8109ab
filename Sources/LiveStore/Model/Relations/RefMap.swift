/// References by name.
///
/// ```swift
/// var roles = RefMap<User>()
/// roles["editor"] = ann.ref
/// ```
/// It is encoded as a dictionary of bare ids.
public struct RefMap<Target: Entity>: Hashable, Sendable {
  private var references: [String: Ref<Target>] = [:]

  /// An empty map.
  public init() {}

  /// References by name.
  public init(_ references: [String: Ref<Target>]) { self.references = references }

  /// The reference for a name; setting nil removes it.
  public subscript(name: String) -> Ref<Target>? {
    get { references[name] }
    set { references[name] = newValue }
  }

  /// The names.
  public var keys: some Collection<String> { references.keys }
  /// The references.
  public var values: some Collection<Ref<Target>> { references.values }
}

extension RefMap: Collection {
  /// A position in the map.
  public typealias Index = Dictionary<String, Ref<Target>>.Index

  /// The first position.
  public var startIndex: Index { references.startIndex }
  /// The position after the last.
  public var endIndex: Index { references.endIndex }
  /// Whether the map is empty.
  public var isEmpty: Bool { references.isEmpty }
  /// The number of names.
  public var count: Int { references.count }
  /// The next position.
  public func index(after position: Index) -> Index { references.index(after: position) }
  /// The name and the reference at a position.
  public subscript(position: Index) -> (key: String, value: Ref<Target>) { references[position] }
}

extension RefMap: RelationValue {
  /// Calls `body` with every reference.
  @_documentation(visibility: internal)
  public func forEachReference(_ body: (Ref<Target>) -> Void) { references.values.forEach(body) }

  /// The map without some of its references.
  public func removing(where isGone: (Ref<Target>) -> Bool) -> RefMap {
    RefMap(references.filter { !isGone($0.value) })
  }
}

extension RefMap: ExpressibleByDictionaryLiteral, CustomStringConvertible {
  /// References by name; of duplicate names the last counts.
  public init(dictionaryLiteral elements: (String, Ref<Target>)...) {
    references = Dictionary(elements, uniquingKeysWith: { $1 })
  }
  /// Names and ids, sorted by name.
  public var description: String {
    let entries = references.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return entries.isEmpty ? "[:]" : "[\(entries.joined(separator: ", "))]"
  }
}

extension RefMap: Encodable where Target.ID: Encodable {
  /// Writes the bare ids by name.
  ///
  /// As a single value, so that a coder's key strategy leaves the names unchanged.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(references.mapValues(\.id))
  }
}

extension RefMap: Decodable where Target.ID: Decodable {
  /// Reads bare ids by name.
  public init(from decoder: any Decoder) throws {
    let ids = try decoder.singleValueContainer().decode([String: Target.ID].self)
    self.init(ids.mapValues { Ref($0) })
  }
}

extension RefMap: WithoutNaN {}
