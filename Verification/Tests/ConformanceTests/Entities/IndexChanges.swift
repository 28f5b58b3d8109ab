import LiveStore

/// A change set in the form of the cases: a move is a deletion and an insertion.
struct IndexChanges: Equatable, Sendable, CustomStringConvertible {
  var deletions: [Int] = []
  var insertions: [Int] = []
  /// Indices before the change.
  var modifications: [Int] = []
  /// The same rows after it.
  var modificationsNew: [Int] = []

  init<Element: Entity>(_ updates: ChangeSet<Element>.BatchUpdates) {
    deletions = updates.deletions
    insertions = updates.insertions
    modifications = updates.modifications
    modificationsNew = updates.modificationsNew
  }

  init(_ json: JSONValue) throws(CaseFailure) {
    deletions = try json.integers("deletions")
    insertions = try json.integers("insertions")
    modifications = try json.integers("modifications")
    modificationsNew = try json.integers("modifications_new")
  }

  var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

  var description: String {
    "deletions \(deletions) insertions \(insertions) modifications \(modifications) new \(modificationsNew)"
  }
}

extension IndexChanges {
  /// Whether it leads from one order of ids to another as the rules demand: rows that are neither deleted nor
  /// inserted keep their order, and of them exactly the modified ones are modifications.
  func leads(from old: [Int], to new: [Int], modified: Set<Int>) -> Bool {
    let (removed, added) = (Set(deletions), Set(insertions))
    guard removed.isSubset(of: old.indices), added.isSubset(of: new.indices) else { return false }
    let keptOld = old.indices.filter { !removed.contains($0) }
    let keptNew = new.indices.filter { !added.contains($0) }
    guard keptOld.map({ old[$0] }) == keptNew.map({ new[$0] }) else { return false }
    return modifications == keptOld.filter { modified.contains(old[$0]) }
      && modificationsNew == keptNew.filter { modified.contains(new[$0]) }
  }

  /// Whether it is as good as another change set between the same orders of ids: right, and of the same size.
  func isAsGood(as other: IndexChanges, from old: [Int], to new: [Int], modified: Set<Int>) -> Bool {
    self == other
      || deletions.count == other.deletions.count && insertions.count == other.insertions.count
        && leads(from: old, to: new, modified: modified)
  }
}
