extension Row {
  /// The value at a path, of an entity whose schema resolves paths at run time.
  ///
  /// ```swift
  /// Document.where { $0["address", "city"] == "Berlin" && $0["age"] >= 18 }
  /// ```
  /// What is missing is null. An entity with a schema of listed properties has no such paths: all are null.
  public subscript(_ names: String...) -> Expr<JSONValue> { self[path: names] }

  /// The value at a path whose names are in an array.
  package subscript(path names: [String]) -> Expr<JSONValue> {
    let resolve = Element.schema.resolver
    return Expr(
      source: .path(PropertyPath(dynamic: names)),
      accessor: .function { row, _ in
        // The row holds an Element.
        resolve?(row.assumingMemoryBound(to: Element.self).pointee, names) ?? .null
      })
  }
}

extension Query {
  /// Orders by the value at a path, of an entity whose schema resolves paths at run time.
  ///
  /// Ascending, null and what is missing come first, then `false`, `true`, numbers, strings, arrays, objects.
  public func sorted(byPath names: [String], _ order: SortDirection = .ascending) -> Query {
    sorted(Row<Element>()[path: names], order)
  }
}
