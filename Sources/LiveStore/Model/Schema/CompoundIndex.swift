/// An index over several properties, as a line of a schema declares it.
struct CompoundIndex: Sendable {
  let paths: [Term]
  let option: PropertyOption?

  init<Element: Entity>(_ line: PropertyDefinition<Element>) {
    paths = line.indexed.map { Term($0.keyPath, name: $0.name ?? "?") }
    option = line.options.first
  }
}

extension PropertyDefinition {
  /// The lines with a property or links, and one for each property that only an index names.
  static func all(_ lines: [PropertyDefinition]) -> [PropertyDefinition] {
    var known = Set(lines.filter { $0.inverse == nil && $0.indexed.isEmpty }.map { $0.keyPath as AnyKeyPath })
    return lines.flatMap { line in
      line.indexed.isEmpty ? [line] : line.indexed.filter { known.insert($0.keyPath as AnyKeyPath).inserted }
    }
  }
}
