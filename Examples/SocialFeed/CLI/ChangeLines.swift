import LiveStore
import SocialFeedCore

/// Changes as lines of text.
enum ChangeLines {
  /// The whole result the first time, then what has changed in it. Places are counted from 1.
  static func of<Element: Entity>(
    _ change: CollectionChange<Element>, name: (Element) -> String
  ) -> [String] {
    switch change {
    case .initial(let results):
      return results.isEmpty ? ["  (nothing)"] : results.map { "    \(name($0))" }
    case .update(_, let changes):
      return lines(changes, name: name)
    case .error(let error):
      return ["  ! \(error.message)"]
    }
  }

  private static func lines<Element: Entity>(
    _ changes: ChangeSet<Element>, name: (Element) -> String
  ) -> [String] {
    let (old, new) = (changes.previous, changes.current)
    let gone = changes.deletions.map { "  - \(name(old[$0]))" }
    let come = changes.insertions.map { "  + \(name(new[$0])), at \($0 + 1)" }
    let changed = changes.modifications.map { modification in
      let values = modification.properties.map { "\($0)" }
      return "  ~ \(name(modification.new)): \(values.joined(separator: ", "))"
    }
    let moved = changes.moves.map { "  ^ \(name(new[$0.to])), from \($0.from + 1) to \($0.to + 1)" }
    return gone + come + changed + moved
  }

  /// All sections the first time and after each change, and before them which rows have changed section.
  static func of<Key, Element: Entity>(
    _ change: SectionedChange<Key, Element>, name: (Element) -> String
  ) -> [String] {
    guard let sections = change.sections else { return [] }
    let moved = (change.changes?.moves ?? []).map { move in
      "  ^ \(name(sections[move.to])), to \(sections[move.to.section].key)"
    }
    return moved
      + sections.map { "    \($0.key): \($0.map(name).joined(separator: ", "))" }
  }

  /// Comments as they are shown, each further in than the one it replies to.
  static func tree(_ comments: Results<Comment>) -> [String] {
    CommentTree(comments).map { node in
      let author = comments.snapshot[node.comment.author]?.name ?? "?"
      return "    \(String(repeating: "  ", count: node.depth))\(author): \(node.comment.text)"
    }
  }
}
