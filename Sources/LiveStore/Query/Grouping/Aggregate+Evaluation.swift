// An aggregate of rows that one filter selects is folded while they are visited, without a result of them.

extension QueryStage {
  /// Whether its rows are all that the filter selects from the table.
  var isFilterOnly: Bool {
    source == nil && !hasWindow && distinct.isEmpty
  }
}

extension ReadContext {
  /// Calls `body` with the rows of a query, in blocks.
  ///
  /// - Returns: whether all were found; nil if they are not all that one filter selects.
  fileprivate func forEachBlock<Element>(_ query: Query<Element>, _ body: (RowBlock) -> Void) -> Bool? {
    guard let table = catalog.index(of: Element.self), query.stages.count == 1,
      query.stages[0].isFilterOnly
    else { return nil }
    var stage = query.stages[0]
    stage.order = RowOrder(keys: [])
    let run = query.stages.needsRun ? query.stages.makeRun() : nil
    var work = QueryWork()
    let context = running(run)
    FilterRun.within(run) {
      QueryPlan(stage, table, context).forEachBlock(stage, table, context, &work) { block in
        body(block)
        return true
      }
    }
    return run?.isStopped != true
  }
}

extension Aggregate {
  /// The value in these tables, without collecting rows; nil if that is not possible.
  ///
  /// - Complexity: O(*v*) for *v* rows that the plan visits.
  func value(in context: ReadContext) -> Value? {
    if let value = indexedValue(in: context) { return value }
    switch kind.function {
    case .sums(let functions, let value):
      var sum = ExactSum()
      let isFolded = context.forEachBlock(query) { block in
        sum.rows += block.objects.count
        functions.addBlock(block, context, &sum)
      }
      guard let isFolded else { return nil }
      return sum.rows == 0 || !isFolded ? empty : value(sum)
    case .extreme(let end, let key, let isNil, let value):
      var best = BestRow(end, key, context)
      var isEmpty = true
      let isFolded = context.forEachBlock(query) { block in
        if block.objects.selected != 0 { isEmpty = false }
        best.offer(block, isNil)
      }
      guard let isFolded else { return nil }
      return isEmpty || !isFolded ? empty : value(best.object, context)
    }
  }
}

/// The row with the least or greatest value so far; of several, the first or the last in insertion order, as at the
/// ends of a sorted result.
private struct BestRow {
  private let end: Extreme
  private let key: SortKey
  private let context: ReadContext
  private(set) var object: UnsafeRawPointer?
  private var abbreviation: UInt64 = 0
  private var row: UInt64 = 0

  init(_ end: Extreme, _ key: SortKey, _ context: ReadContext) {
    self.end = end
    self.key = key
    self.context = context
  }

  mutating func offer(_ block: RowBlock, _ isNil: (UnsafeRawPointer, ReadContext) -> Bool) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 64) { buffer in
      // The buffer has 64 words.
      guard var word = buffer.baseAddress else { return }
      key.abbreviateBlock(block, context, word)
      for index in SelectedBits(block.objects.selected) {
        let candidate = block.objects.first + index &* block.objects.stride
        if isBetter(candidate, word.pointee, block.keys[index].first), !isNil(candidate, context) {
          (object, abbreviation, row) = (candidate, word.pointee, block.keys[index].first)
        }
        word += 1
      }
    }
  }

  private func isBetter(_ candidate: UnsafeRawPointer, _ word: UInt64, _ candidateRow: UInt64) -> Bool {
    guard let object else { return true }
    var order = word == abbreviation ? 0 : word < abbreviation ? -1 : 1
    if order == 0 && !key.isExact { order = key.compare(candidate, context, object, context) }
    if order == 0 { order = candidateRow < row ? -1 : 1 }
    return end == .least ? order < 0 : order > 0
  }
}
