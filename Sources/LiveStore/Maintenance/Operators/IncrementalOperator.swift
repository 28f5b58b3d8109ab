// Operators.
//
//     table    ─┐
//     list     ─┼─▶ [filter] ─▶ order ─┐
//     baseline ─┘               tree   ├─▶ window ─▶ [filter | distinct] ─▶ order ─▶ window … ─▶ [group | section]
//     whole table ─────────────────────┘                                    tree
//                   tree
// Upkeep is a chain of operators of one shape (`IncrementalOperator`): each takes in the changes of its
// input, rows with their object before and after, and gives out the changes of its output. `UpkeepPlan`
// chooses them once for each query, as `QueryPlan` chooses how a stage is evaluated. Special cases are its
// choice: a table that is observed as it is (`WholeTableOperator`) needs no order, a filter that passes every
// row is left out, and without a group or section the last stage has no window operator, since observers read
// its tree through windows of their own.
//
// An operator holds rules and no state. The trees of a chain are one value, so all versions of a result share
// the chain. Filter and order share one tree, which has the rows that pass, in order; a window and distinct
// keep nothing, and read that tree before and after the step. An operator that finds its input inconsistent
// throws `NeedsRebuild` (L8).

/// One operator of the chain that keeps the result of a live query up to date.
///
/// ```
/// source ─▶ filter ─▶ order ─▶ window ─▶ filter ─▶ order … ─▶ window ─▶ group or section
///                     tree 0                       tree 1
/// ```
/// A query is a chain of operators, which `UpkeepPlan` chooses. Changes flow through the chain: rows with
/// their object before and after. An operator is a function from the changes of its input to the changes of
/// its output, and from the trees before a step to the trees after it.
///
/// Operators hold rules and no state. The trees that a chain keeps are one value, `ChainTrees`, in which an operator
/// edits the slots that it was given. So every version of a result shares one chain, a result is copied by copying
/// roots, and two versions differ by the difference of their trees.
///
/// Filter and order share one tree: the filter keeps nothing, and the order keeps the rows that pass. A
/// window keeps nothing either: it gives the difference of that tree before and after the step, in its ranks.
///
/// Correctness is local. If the changes that an operator takes in lead from its old input to its new one, the changes
/// that it gives out lead from its old output to its new one, and its tree is what an evaluation of its output would
/// build. An operator that finds this broken throws `NeedsRebuild`, and the chain is evaluated again.
///
/// An operator takes all changes of a step at once, so a step costs one dynamic call for each operator, not one for
/// each row.
package protocol IncrementalOperator: Sendable {
  /// Takes the changes of the input and gives the changes of the output.
  ///
  /// - Complexity: O(*k* log *m*) for *k* changes, where an operator does not say otherwise.
  func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange]
}
