import LiveStore
import SocialFeedCore

/// Changes as lines of text.
enum ChangeLines {
  /// The whole result the first time, then its changes. Positions are counted from 1.
  static func of<Element: Entity>(
    _ change: CollectionChange<Element>, name: (Element) -> String
  ) -> [String] {
    switch change {
    case .initial(let results):
      return results.isEmpty ? ["  (nothing)"] : results.map { "    \(name($0))" }
    case .update(_, let changes):
      return deleted(changes, name) + inserted(changes, name) + changed(changes, name) + moved(changes, name)
    case .error(let error):
      return ["  ! \(error.message)"]
    }
  }

  /// The insertions, deletions and moves since the previous event.
  static func places<Element: Entity>(
    _ change: CollectionChange<Element>, name: (Element) -> String
  ) -> [String] {
    guard let changes = change.changes else { return [] }
    return deleted(changes, name) + inserted(changes, name) + moved(changes, name)
  }

  private static func deleted<Element>(_ changes: ChangeSet<Element>, _ name: (Element) -> String) -> [String]
  {
    changes.deletions.map { "  - \(name(changes.previous[$0]))" }
  }

  private static func inserted<Element>(_ changes: ChangeSet<Element>, _ name: (Element) -> String)
    -> [String]
  {
    changes.insertions.map { "  + \(name(changes.current[$0])), at \($0 + 1)" }
  }

  private static func moved<Element>(_ changes: ChangeSet<Element>, _ name: (Element) -> String) -> [String] {
    changes.moves.map { "  ^ \(name(changes.current[$0.to])), from \($0.from + 1) to \($0.to + 1)" }
  }

  private static func changed<Element>(
    _ changes: ChangeSet<Element>, _ name: (Element) -> String
  ) -> [String] {
    changes.modifications.map { modification in
      let values = modification.properties.map(\.description)
      return "  ~ \(name(modification.new)): \(values.joined(separator: ", "))"
    }
  }

  /// All sections the first time and after each change, preceded by the rows that moved to another section.
  static func of<Element: Entity, Key>(
    _ change: SectionedChange<Element, Key>, name: (Element) -> String
  ) -> [String] {
    guard let sections = change.sections else { return [] }
    let moved = (change.changes?.moves ?? []).map { move in
      "  ^ \(name(sections[move.to])), to \(sections[move.to.section].key)"
    }
    return moved
      + sections.map { "    \($0.key): \($0.map(name).joined(separator: ", "))" }
  }

  /// Comments as shown: each indented below the one that it replies to.
  static func tree(_ comments: Results<Comment>) -> [String] {
    CommentTree(comments).map { node in
      let author = comments.snapshot[node.comment.author]?.name ?? "?"
      return "    \(String(repeating: "  ", count: node.depth))\(author): \(node.comment.text)"
    }
  }
}
