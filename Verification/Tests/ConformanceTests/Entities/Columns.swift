import LiveStore

/// The properties of an entity by their key paths, and the schema that lists them.
struct Columns<Element: CaseEntity>: Sendable {
  /// The id first.
  let all: [any Column<Element>]
  let schema: Schema<Element>

  /// - Parameter names: the names of properties that have another one in the struct.
  /// - Parameter inverses: the lines of the schema that name backlinks.
  init<each Value: CaseValue>(
    _ id: any WritableKeyPath<Element, Int> & Sendable,
    _ properties: repeat any WritableKeyPath<Element, each Value> & Sendable, names: [String: String] = [:],
    inverses: [PropertyDefinition<Element>] = []
  ) {
    var columns: [any Column<Element>] = [TypedColumn(name: "id", storedName: "id", keyPath: id)]
    var lines: [PropertyDefinition<Element>] = []
    for property in repeat each properties {
      let member = shownMember(of: property)
      let name = names[member] ?? member
      columns.append(TypedColumn(name: name, storedName: name, keyPath: property))
      lines.append(SchemaBuilder.buildExpression(Property(property, name)))
    }
    all = columns
    lines += inverses
    // The builder takes lines one by one; `return` makes this a plain closure.
    schema = Schema { return lines }
  }
}
