extension QueryPlan {
  /// The tree of the stage's rows, or of the first `needed` rows, without those that are skipped.
  ///
  /// - Parameter stamp: the stamp of all entries; nil for the stamps of their rows.
  func run(
    _ stage: QueryStage, _ table: Int, _ context: ReadContext, stamp: UInt64?, _ work: inout QueryWork
  ) -> Tree {
    let state = context.tables[table]
    if case .table = access, stamp == nil, position == nil { return state.rows }
    var collector = RowCollector(
      stage.order, stage.filter, table, context, stamp: stamp, isInOrder: isInOrder(stage),
      limit: rowsToFind(stage))
    let isWanted = positionTest(stage, state, context)
    let filterRun = context.run
    var tested = 0
    work.entriesRead += self.work.entriesRead
    visit(
      stage, table, context, &work,
      leaf: { keys, objects, count in
        tested += count
        guard filterRun?.visit(count) ?? true else { return false }
        if isWanted == nil {
          collector.offer(keys, objects, count)
        } else {
          for index in 0..<count where isWanted?(keys[index].first) ?? true {
            collector.offer(keys[index].first)
          }
        }
        return !collector.isFull
      },
      row: { row in
        tested += 1
        guard filterRun?.visit() ?? true else { return false }
        if isWanted?(row) ?? true { collector.offer(row) }
        return !collector.isFull
      })
    work.rowsTested += tested
    return collector.finish()
  }

  /// The ranks in a tree of this plan that the stage's window covers.
  func window(of stage: QueryStage, in tree: Tree) -> Range<Int> {
    let ranks = stage.window(of: tree.count + skipped)
    return (ranks.lowerBound - skipped)..<(ranks.upperBound - skipped)
  }

  /// How many rows the stage has, without its window; counting may stop at `needed`.
  func count(_ stage: QueryStage, _ table: Int, _ context: ReadContext, _ work: inout QueryWork) -> Int {
    let state = context.tables[table]
    if case .table = access { return state.count }
    let limit = (needed ?? .max) - skipped
    var count = 0
    forEachBlock(stage, table, context, &work) { block in
      count &+= block.objects.count
      return count < limit
    }
    return count + skipped
  }

  /// Calls `body` with the rows that pass, in blocks, until it returns false.
  func forEachBlock(
    _ stage: QueryStage, _ table: Int, _ context: ReadContext, _ work: inout QueryWork,
    _ body: (RowBlock) -> Bool
  ) {
    let rows = context.tables[table].rows
    let stride = rows.layout.stride
    let mask = stage.filter.rowMask
    let filterRun = context.run
    var tested = 0
    work.entriesRead += self.work.entriesRead
    visit(
      stage, table, context, &work,
      leaf: { keys, objects, count in
        tested += count
        guard filterRun?.visit(count) ?? true else { return false }
        let selected = mask(objects, stride, count, context)
        return body(RowBlock(keys, objects, stride: stride, selected: selected))
      },
      row: { row in
        tested += 1
        guard filterRun?.visit() ?? true else { return false }
        return rows.withRun(of: row) { key, object in
          body(RowBlock(key, object, stride: stride, selected: mask(object, stride, 1, context)))
        } ?? true
      })
    work.rowsTested += tested
  }

  /// How many matching rows are enough: the rows of the window, if rows are visited in its order.
  private func rowsToFind(_ stage: QueryStage) -> Int {
    needed.flatMap { isInOrder(stage) ? $0 - skipped : nil } ?? .max
  }

  /// Whether rows are visited in the order of the result.
  private func isInOrder(_ stage: QueryStage) -> Bool {
    if case .order = access { true } else { stage.order.keys.isEmpty }
  }
}
