import LiveStore
import LiveStoreObservation
import TestSupport

/// The naive store and its undo stack, with everything done the slow way.
struct UndoModel {
  struct Edit: Equatable {
    var before: ModelRow?
    var after: ModelRow?

    var reversed: Edit { Edit(before: after, after: before) }
  }

  struct Step {
    var name: String?
    var edits: [ModelKey: Edit]
    /// The store before it and after it, and how many commits of others there had been when it began.
    var before: ModelStore
    var after: ModelStore
    let foreign: Int
  }

  var store = ModelStore(Owner.self, Label.self, Note.self, Remark.self, rules: undoRules)
  private(set) var foreign = 0
  private(set) var undoSteps: [Step] = []
  private(set) var redoSteps: [Step] = []
  private var openGroups = 0
  private var isGroupBegun = false
  private var groupName: String?

  /// The objects that all steps hold.
  var objectCount: Int { (undoSteps + redoSteps).reduce(0) { $0 + $1.edits.count } }

  private static func difference(_ before: ModelStore, _ after: ModelStore) -> [ModelKey: Edit] {
    var edits: [ModelKey: Edit] = [:]
    for row in before.rows { edits[row.key] = Edit(before: row) }
    for row in after.rows { edits[row.key, default: Edit()].after = row }
    return edits.filter { $0.value.before != $0.value.after }
  }
}

// MARK: Steps

extension UndoModel {
  /// Records what was written since `before`, unless nothing changed.
  mutating func commit(from before: ModelStore, isMine: Bool) {
    if !store.commit(after: before) { return }
    guard isMine else {
      foreign += 1
      return
    }
    redoSteps = []
    let edits = Self.difference(before, store)
    guard openGroups > 0, isGroupBegun, var step = undoSteps.popLast() else {
      undoSteps.append(Step(name: groupName, edits: edits, before: before, after: store, foreign: foreign))
      isGroupBegun = openGroups > 0
      return
    }
    for (key, edit) in edits {
      var sum = step.edits[key] ?? edit
      // Others have written in between.
      if step.edits[key] != nil, sum.after != edit.before {
        sum.before = Self.undoing(sum, from: edit.before)?.before ?? edit.before
      }
      sum.after = edit.after
      step.edits[key] = sum.before == sum.after ? nil : sum
    }
    step.after = store
    step.name = groupName
    if step.edits.isEmpty { isGroupBegun = false } else { undoSteps.append(step) }
  }

  mutating func beginGroup(_ name: String?) {
    openGroups += 1
    groupName = groupName ?? name
  }

  mutating func endGroup() {
    openGroups = max(0, openGroups - 1)
    if openGroups == 0 { endGroups() }
  }

  private mutating func endGroups() {
    openGroups = 0
    isGroupBegun = false
    groupName = nil
  }

  mutating func clear() {
    undoSteps = []
    redoSteps = []
    isGroupBegun = false
  }
}

// MARK: Undo

extension UndoModel {
  enum Outcome {
    case nothing
    case refused([ModelViolation])
    case done(count: Int, conflicts: Set<UndoModelConflict>)
  }

  /// The edit that undoes another of an object whose row is `current`, reversed: properties that it changed have
  /// their values before it. Nil unless they have the values that it gave them.
  private static func undoing(_ edit: Edit, from current: ModelRow?) -> Edit? {
    guard let before = edit.before, let after = edit.after, let current, before.position == after.position
    else { return current == edit.after ? edit : nil }
    func restored<Element: UndoEntity>(_ object: Element) -> Element? {
      guard let before = before.object as? Element, let after = after.object as? Element else { return nil }
      var object = object
      let areUnchanged = Element.properties.map { $0.restore(&object, before, after) }
      return areUnchanged.allSatisfy { $0 } ? object : nil
    }
    guard current.position == after.position, let object = current.object as? any UndoEntity,
      let result = restored(object)
    else { return nil }
    return Edit(
      before: ModelRow(key: current.key, position: current.position, object: result), after: current)
  }

  /// Undoes the newest step, or the newest undo.
  mutating func undo(isRedo: Bool) -> Outcome {
    endGroups()
    guard let step = isRedo ? redoSteps.last : undoSteps.last else { return .nothing }
    var result = store
    var accepted: [ModelKey: Edit] = [:]
    var conflicts: Set<UndoModelConflict> = []
    for (key, edit) in step.edits {
      let current = store[key]
      if let done = Self.undoing(edit, from: current) {
        accepted[key] = done
        result[key] = done.before
      } else {
        let reason = edit.after == nil ? "idTaken" : current == nil ? "deleted" : "changed"
        conflicts.insert(UndoModelConflict(key, reason))
      }
    }
    while let (key, edit) = accepted.first(where: { key, _ in
      !result.contains(key) && result.rows.contains { $0.object.modelLinks.contains { $0.target == key } }
    }) {
      result[key] = edit.after
      accepted[key] = nil
      conflicts.insert(UndoModelConflict(key, "linked"))
    }
    let violations = result.violations(after: store)
    if !violations.isEmpty { return .refused(violations) }
    let other = Step(
      name: step.name, edits: accepted.mapValues(\.reversed), before: store, after: result, foreign: foreign)
    store = result
    if isRedo { redoSteps.removeLast() } else { undoSteps.removeLast() }
    if !accepted.isEmpty {
      if isRedo { undoSteps.append(other) } else { redoSteps.append(other) }
    }
    return .done(count: accepted.count, conflicts: conflicts)
  }
}

struct UndoModelConflict: Hashable {
  let object: String
  let reason: String

  init(_ key: ModelKey, _ reason: String) {
    object = "\(key)"
    self.reason = reason
  }

  init(_ conflict: UndoConflict) {
    object = "\(conflict.entity) \(conflict.id)"
    reason = "\(conflict.reason)"
  }
}
