package import LiveStore

extension ChangeLine {
  /// The lines of an event of a live query; none for an error.
  ///
  /// - Parameter document: an object as it is printed.
  package static func lines<Element: Entity>(
    of change: CollectionChange<Element>, _ document: (Element) -> Document
  ) -> [ChangeLine] {
    switch change {
    case .initial(let results):
      results.enumerated().map { .initial(document($0.element), at: $0.offset) }
    case .update(_, let changes): lines(of: changes, document)
    case .error: []
    }
  }

  /// Deletions, insertions, modifications, moves: each ascending, as in the change set.
  private static func lines<Element: Entity>(
    of changes: ChangeSet<Element>, _ document: (Element) -> Document
  ) -> [ChangeLine] {
    var lines: [ChangeLine] = []
    for index in changes.deletions { lines.append(.delete(document(changes.previous[index]), at: index)) }
    for index in changes.insertions { lines.append(.insert(document(changes.current[index]), at: index)) }
    for change in changes.modifications {
      lines.append(
        .modify(document(change.old), at: change.oldIndex, to: document(change.new), at: change.newIndex))
    }
    for move in changes.moves {
      lines.append(.move(document(changes.current[move.to]).id, from: move.from, to: move.to))
    }
    return lines
  }
}
