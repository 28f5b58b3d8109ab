import LiveStore

/// The structs of one schema of the cases, and a store of them.
struct CaseFamily: Sendable {
  let tables: [any CaseTable]
  let makeStore: @Sendable () throws -> Store

  init(_ tables: [any CaseTable], makeStore: @escaping @Sendable () throws -> Store) {
    self.tables = tables
    self.makeStore = makeStore
  }

  /// Whether the structs have all types and properties of a schema.
  func covers(_ schema: JSONObject) -> Bool {
    schema.allSatisfy { name, properties in
      guard let properties = properties.members, let table = tables.first(where: { $0.name == name }) else {
        return false
      }
      let types = table.types
      return properties.allSatisfy { types[$0.key] == $0.value.text }
    }
  }
}

/// Where the structs of a family are written.
protocol CaseFamilyType {
  static func makeFamily() -> CaseFamily
}

extension CaseFamily {
  private static let written: [CaseFamily] = [
    Linked.makeFamily(), Plain.makeFamily(), Pair.makeFamily(), Numbers.makeFamily(), Integers.makeFamily(),
    Origins.makeFamily(), Texts.makeFamily(), Words.makeFamily(), Observed.makeFamily(),
    PeopleSet.makeFamily(), WordsSet.makeFamily(), ShopSet.makeFamily(), PrimsSet.makeFamily(),
    TypesSet.makeFamily(), SortsSet.makeFamily(), ModuloSet.makeFamily(), Links4Set.makeFamily(),
    LogicSet.makeFamily(), ArithSet.makeFamily(), SpanSet.makeFamily(), RhsSet.makeFamily(),
    WideSet.makeFamily(), AccentsSet.makeFamily(),
  ]

  /// The first written family that covers the schema, or sheets for a schema without structs.
  static func matching(_ schema: JSONObject) throws(CaseFailure) -> CaseFamily {
    if let family = written.first(where: { $0.covers(schema) }) { return family }
    return try sheets(for: schema)
  }
}
