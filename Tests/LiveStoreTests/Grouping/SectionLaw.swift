import LiveStore
import TestSupport

/// What a change set of sections makes of the sections it starts from: rows out, sections out, sections in, rows in,
/// and then the new values.
func rebuilt<Element: Entity, Key>(
  by changes: SectionedChangeSet<Element, Key>
) throws -> [(key: Key, rows: [Element])] {
  let (old, new) = (changes.previous, changes.current)
  var rows: [(key: Key, rows: [Element])] = old.map { ($0.key, Array($0)) }
  for position in (changes.deletions + changes.moves.map(\.from)).sorted().reversed() {
    rows[position.section].rows.remove(at: position.row)
  }
  for index in changes.sectionDeletions.reversed() {
    try require(rows[index].rows.isEmpty, "a section that is not empty is deleted: \(changes)")
    rows.remove(at: index)
  }
  for index in changes.sectionInsertions { rows.insert((new[index].key, []), at: index) }
  let arrivals =
    changes.insertions.map { ($0, new[$0.section][$0.row]) }
    + changes.moves.map { ($0.to, old[$0.from.section][$0.from.row]) }
  for (position, object) in arrivals.sorted(by: { $0.0 < $1.0 }) {
    try require(position.row <= rows[position.section].rows.count, "the law cannot be applied: \(changes)")
    rows[position.section].rows.insert(object, at: position.row)
  }
  for change in changes.modifications {
    rows[change.newIndex.section].rows[change.newIndex.row] = change.new
  }
  return rows
}
