extension Row where Element: DynamicEntity {
  /// The value at a path.
  ///
  /// ```swift
  /// Document.where { $0["address", "city"] == "Berlin" && $0["age"] >= 18 }
  /// ```
  /// A missing value is null. ``Query/explain(in:)`` names the paths that no object has, which are probably misspelt.
  public subscript(_ names: String...) -> Expr<JSONValue> { self[path: names] }

  /// The value at a path whose names are in an array.
  package subscript(path names: [String]) -> Expr<JSONValue> {
    let resolve = Element.schema.resolver
    return Expr(
      source: .path(Term(dynamic: names)),
      accessor: .function { row, _ in
        // The row holds an Element.
        resolve?(row.object(as: Element.self).pointee, names) ?? .null
      }, level: level)
  }
}

extension Query where Element: DynamicEntity {
  /// Orders by the value at a path.
  ///
  /// Ascending, null and missing values come first, then `false`, `true`, numbers, strings, arrays, objects.
  public func sorted(byPath names: [String], _ order: SortDirection = .ascending) -> Query {
    sorted(Row<Element>()[path: names], order)
  }
}
