package import LiveStore

extension ChangeLine {
  /// The lines of an event of a live query, each made when it is read; none for an error.
  package static func lines<Element: ShownEntity>(of change: CollectionChange<Element>) -> some Sequence<
    ChangeLine
  > {
    let (count, line): (Int, (Int) -> ChangeLine) =
      switch change {
      case .initial(let results): (results.count, { .initial(results[$0].document, at: $0) })
      case .update(_, let changes): lines(of: changes)
      case .error: (0, { _ in preconditionFailure("an error has no lines") })
      }
    return (0..<count).lazy.map(line)
  }

  /// Deletions, insertions, modifications, moves, each ascending, as in the change set: how many there are, and each by
  /// its place among them.
  private static func lines<Element: ShownEntity>(of changes: ChangeSet<Element>) -> (
    Int, (Int) -> ChangeLine
  ) {
    let insertions = changes.deletions.count
    let modifications = insertions + changes.insertions.count
    let moves = modifications + changes.modifications.count
    func line(_ place: Int) -> ChangeLine {
      if place < insertions {
        let index = changes.deletions[place]
        return .delete(changes.previous[index].document, at: index)
      }
      if place < modifications {
        let index = changes.insertions[place - insertions]
        return .insert(changes.current[index].document, at: index)
      }
      if place < moves {
        let change = changes.modifications[place - modifications]
        return .modify(
          change.old.document, at: change.oldIndex, to: change.new.document, at: change.newIndex)
      }
      let move = changes.moves[place - moves]
      return .move(changes.current[move.to].document, from: move.from, to: move.to)
    }
    return (moves + changes.moves.count, line)
  }
}
