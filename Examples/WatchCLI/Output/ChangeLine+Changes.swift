package import LiveStore

extension ChangeLine {
  /// The lines of an event of a live query, each made when it is read; none for an error.
  ///
  /// - Parameter document: an object as it is printed.
  package static func lines<Element: Entity>(
    of change: CollectionChange<Element>, _ document: @escaping (Element) -> Document
  ) -> some Sequence<ChangeLine> {
    let (count, line): (Int, (Int) -> ChangeLine) =
      switch change {
      case .initial(let results): (results.count, { .initial(document(results[$0]), at: $0) })
      case .update(_, let changes): lines(of: changes, document)
      case .error: (0, { _ in preconditionFailure("an error has no lines") })
      }
    return (0..<count).lazy.map(line)
  }

  /// Deletions, insertions, modifications, moves, each ascending, as in the change set: how many there are, and each by
  /// its place among them.
  private static func lines<Element: Entity>(
    of changes: ChangeSet<Element>, _ document: @escaping (Element) -> Document
  ) -> (Int, (Int) -> ChangeLine) {
    let insertions = changes.deletions.count
    let modifications = insertions + changes.insertions.count
    let moves = modifications + changes.modifications.count
    func line(_ place: Int) -> ChangeLine {
      if place < insertions {
        let index = changes.deletions[place]
        return .delete(document(changes.previous[index]), at: index)
      }
      if place < modifications {
        let index = changes.insertions[place - insertions]
        return .insert(document(changes.current[index]), at: index)
      }
      if place < moves {
        let change = changes.modifications[place - modifications]
        return .modify(
          document(change.old), at: change.oldIndex, to: document(change.new), at: change.newIndex)
      }
      let move = changes.moves[place - moves]
      return .move(document(changes.current[move.to]).id, from: move.from, to: move.to)
    }
    return (moves + changes.moves.count, line)
  }
}
