import LiveStore

/// The structs of one schema of the cases, and a store of them.
struct CaseFamily: Sendable {
  var tables: [any CaseTable] = []
  let makeStore: @Sendable () throws -> Store

  init<each Element: CaseEntity>(_ types: repeat (each Element).Type) {
    makeStore = { try Store(repeat each types) }
    for type in repeat each types { tables.append(EntityTable(type)) }
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

extension CaseFamily {
  private static let written: [CaseFamily] = [
    Linked.family, Plain.family, Pair.family, Numbers.family, Integers.family, Origins.family, Texts.family,
    Words.family, Observed.family, PeopleSet.family, WordsSet.family, ShopSet.family, PrimsSet.family,
    TypesSet.family, SortsSet.family, ModuloSet.family, Links4Set.family, LogicSet.family, ArithSet.family,
    SpanSet.family, RhsSet.family, WideSet.family, AccentsSet.family,
  ]

  /// The first written family that covers the schema, or sheets for a schema without structs.
  static func matching(_ schema: JSONObject) throws(CaseFailure) -> CaseFamily {
    if let family = written.first(where: { $0.covers(schema) }) { return family }
    return try sheets(for: schema)
  }
}
