/// The trees, the positions and the groups of a chain's operators.
package struct ChainTrees: Sendable {
  /// By slot: the entries of the list that the chain starts from, if it does, and the tree of each stage.
  package var trees: [Tree] = []
  /// The positions of a list's entries; nil where no stage has an order of its own.
  package var positions: ListPositions?
  /// The groups of the last stage's rows.
  package var groups: (any GroupUpkeep)?

  package init() {}

  /// The window of a stage onto the tree in a slot.
  func window(_ slot: Int, _ stage: QueryStage, _ table: Int) -> ResultWindow {
    let tree = trees[slot]
    return ResultWindow(
      table: table, tree: tree, ranks: stage.window(of: tree.count), order: stage.order, positions: positions)
  }
}
