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
package protocol IncrementalOperator: Sendable {
  /// Takes what changed in the input and gives what changed in the output.
  ///
  /// - Complexity: O(*k* log *m*) for *k* changes, where an operator does not say otherwise.
  func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange]
}
