/// One operator of the chain that keeps the result of a live query up to date.
///
/// ```
/// source ─▶ filter ─▶ order ─▶ window ─▶ filter ─▶ order … ─▶ window ─▶ group or section
///                     tree 0                       tree 1
/// ```
/// A query is a chain of operators, which `UpkeepPlan` chooses. What flows through the chain are changes: rows with
/// their object before and after. An operator is a function from the changes of its input to those of its output, and
/// from the trees before a step to the trees after it.
///
/// Operators hold rules and no state. The trees that a chain keeps are one value, `ChainTrees`, in which an operator
/// edits the slots that it was given. So every version of a result shares one chain, a result is copied by copying
/// roots, and two versions differ by the difference of their trees.
///
/// Filter and order share one tree: the filter keeps nothing, and the order keeps what passes. A window keeps nothing
/// either: it gives the difference of that tree before and after the step, within its ranks.
///
/// Correctness is local. If the changes that an operator takes in lead from its old input to its new one, the changes
/// that it gives out lead from its old output to its new one, and its tree is what an evaluation of its output would
/// build. An operator that finds this broken throws `NeedsRebuild`, and the chain is evaluated again.
///
/// An operator takes all changes of a step at once, so a step costs one dynamic call for each operator, not one for
/// each row.
protocol IncrementalOperator: Sendable {
  /// Takes what changed in the input and gives what changed in the output.
  ///
  /// - Complexity: O(*k* log *m*) for *k* changes, where an operator does not say otherwise.
  func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange]
}

/// All that the operators of a chain keep.
struct ChainTrees: Sendable {
  /// By slot: the entries of the list that the chain starts from, if it does, and the tree of each stage.
  var trees: [Tree] = []
  /// The places of a list's entries; nil where no stage has an order of its own.
  var places: ListPlaces?
  /// What the rows of the last stage are grouped into.
  var groups: (any GroupUpkeep)?

  /// The window of a stage onto the tree in a slot.
  func window(_ slot: Int, _ stage: QueryStage, _ table: Int) -> ResultWindow {
    let tree = trees[slot]
    return ResultWindow(
      table: table, tree: tree, ranks: stage.window(of: tree.count), order: stage.order, places: places)
  }
}

/// What the operators of a chain share while they lead it from one state to another.
struct UpkeepStep {
  let table: Int
  /// Values of linked rows by which rows differ, too.
  let linked: [Operand]
  /// How rows are read before and after the step.
  let old: StepSide
  var new: StepSide
  /// The trees before the step.
  let before: ChainTrees
  /// The trees that operators have edited so far.
  var after: ChainTrees
  /// Whether all rows of the first stage can be routed to the query.
  var isRoutable = true

  init(_ table: Int, _ linked: [Operand], _ kept: ChainTrees, from old: StoreState, to new: StoreState) {
    self.table = table
    self.linked = linked
    self.old = StepSide(table: table, context: old.context, places: kept.places)
    self.new = StepSide(table: table, context: new.context, places: kept.places)
    before = kept
    after = kept
  }

  /// The stamp that an entry takes for a row that changed.
  func stamp(of row: RowChange) -> UInt64 { linked.isEmpty ? row.stamp : new.context.linkedStamp }

  /// Whether a row is as it was, and so are the linked values that the query names (V6).
  func isUnchanged(_ row: RowChange) -> Bool {
    guard row.isLinked, let before = row.old, let after = row.new else { return false }
    return linked.allSatisfy { $0.isSame?(before, old.context, after, new.context) ?? false }
  }

  /// Whether a row is another entry of its list now, or stands elsewhere in it.
  func isMovedInList(_ row: RowChange) -> Bool {
    row.old != nil && ListPlaces.compare(row.row, old.places, row.row, new.places) != 0
  }
}

/// How rows are read on one side of a step.
struct StepSide {
  let table: Int
  let context: ReadContext
  /// Where the entries of the list stand, where ties are ordered by it.
  var places: ListPlaces?

  /// The object of a row that is there.
  func object(_ row: UInt64) -> UnsafeRawPointer { context.tables[table].existing(row) }
}
