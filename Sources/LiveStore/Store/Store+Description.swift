// What `print`, `dump` and a debugger show: the entities with their counts, and the version, but never the trees.

extension Store: CustomStringConvertible, CustomReflectable {
  /// The newest version, and the number of objects of each entity.
  public var description: String { "Store at \(current.summary)" }

  /// The version and the number of objects of each entity, for `dump` and debuggers.
  public var customMirror: Mirror { current.mirror(of: self, .class) }
}

extension Snapshot: CustomStringConvertible, CustomReflectable {
  /// The version, and the number of objects of each entity.
  public var description: String { "Snapshot at \(state.summary)" }

  /// The version and the number of objects of each entity, for `dump` and debuggers.
  public var customMirror: Mirror { state.mirror(of: self, .struct) }
}

extension Results: CustomStringConvertible, CustomReflectable {
  /// The number of objects, their entity, and the version.
  public var description: String {
    "\(count) \(Element.self) at version \(version)" + (error.map { ": \($0)" } ?? "")
  }

  /// The version, the number of objects, and the first hundred of them, for `dump` and debuggers.
  public var customMirror: Mirror {
    var children: [(label: String?, value: Any)] = [
      ("version", version.number), ("count", count), ("objects", Array(prefix(100))),
    ]
    if let error { children.append(("error", error)) }
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

extension StoreState {
  /// The number of objects of each entity.
  private var counts: [(entity: String, count: Int)] {
    zip(catalog.entities, tables).map { ($0.name, $1.count) }
  }

  fileprivate var summary: String {
    "version \(version): " + counts.map { "\($0.count) \($0.entity)" }.joined(separator: ", ")
  }

  fileprivate func mirror<Subject>(of subject: Subject, _ style: Mirror.DisplayStyle) -> Mirror {
    let children: [(label: String?, value: Any)] =
      [("version", version.number)] + counts.map { ($0.entity, $0.count) }
    return Mirror(subject, children: children, displayStyle: style)
  }
}
