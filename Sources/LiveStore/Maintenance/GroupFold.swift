// Groups of many rows at once.
//
// Rows come in portions. The keys of a portion are read and numbered in one loop of their type, and then its values
// are added to the sums of these numbers in another. Nothing else is done for a row. All trees are built at the end,
// each from entries in its own order.

/// The groups of rows that are added in portions, by number in the order of their first rows.
///
/// A group's key is written as in its first row.
struct GroupFold<Key: Hashable & Sendable, Value: Equatable & Sendable> {
  let rule: GroupRule<Key, Value>
  private(set) var keys = KeyDictionary<Key>()
  private(set) var sums = GroupSums()
  /// The least number of a row of each group, if groups are in that order.
  private(set) var firstRows: ContiguousArray<UInt64> = []
  /// The row of the least or greatest value of each group; 0 if all are nil.
  private(set) var extremes: ContiguousArray<UInt64> = []

  init(_ rule: GroupRule<Key, Value>) { self.rule = rule }

  mutating func add(_ portion: RowPortion, _ context: ReadContext) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: RowPortion.capacity) { buffer in
      // The buffer has 64 numbers.
      guard let numbers = buffer.baseAddress else { return }
      number(portion.objects, context, into: numbers)
      let groups = UnsafeBufferPointer(start: numbers, count: portion.objects.count)
      sums.addRows(groups, count: keys.count)
      if rule.isByFirstRow { addFirstRows(portion.rows, groups) }
      switch rule.function {
      case .sums(let functions, _): functions.addGrouped(portion.objects, context, groups, &sums)
      case .extreme(let end, _, let isNil, _):
        addExtremes(portion, groups, isLast: end == .greatest) { isNil($0, context) }
      }
    }
  }

  private mutating func number(
    _ objects: IndirectValues, _ context: ReadContext, into numbers: UnsafeMutablePointer<UInt32>
  ) {
    switch rule.key {
    case .value(let source):
      source.accessor.withValues(of: objects, context) { rule.numbering.number($0, &keys, numbers) }
    case .constant(let key):
      let number = keys.number(of: key, hash: rule.keys.hash(key)) { _, _ in true }
      numbers.initialize(repeating: number, count: objects.count)
    }
  }

  private mutating func addFirstRows(_ rows: UnsafePointer<UInt64>, _ groups: UnsafeBufferPointer<UInt32>) {
    while firstRows.count < keys.count { firstRows.append(.max) }
    for (index, number) in groups.enumerated() {
      firstRows[Int(number)] = min(firstRows[Int(number)], rows[index])
    }
  }

  /// Records the first or last row of each group that is not nil. A group's rows come in the order of values.
  private mutating func addExtremes(
    _ portion: RowPortion, _ groups: UnsafeBufferPointer<UInt32>, isLast: Bool,
    _ isNil: (UnsafeRawPointer) -> Bool
  ) {
    while extremes.count < keys.count { extremes.append(0) }
    for (index, number) in groups.enumerated() where isLast || extremes[Int(number)] == 0 {
      if !isNil(portion.objects[index]) { extremes[Int(number)] = portion.rows[index] }
    }
  }

  /// A group, as a row of a table of groups.
  func row(of number: Int, _ source: GroupSource) -> ResultGroup<Key, Value> {
    guard let value = value(of: number, source) else {
      preconditionFailure("a group has a row, which has a value if it must")
    }
    return ResultGroup(
      id: keys.keys[number], value: value, firstRow: rule.isByFirstRow ? firstRows[number] : 0)
  }

  private func value(of number: Int, _ source: GroupSource) -> Value? {
    switch rule.function {
    case .sums(_, let value): return value(sums[number])
    case .extreme(_, _, _, let value):
      let row = extremes[number]
      return value(row == 0 ? nil : source.new.tables[source.table].existing(row), source.new)
    }
  }

  /// The numbers of groups in the order of the result, each with the first word of its key there.
  func order() -> ContiguousArray<(word: UInt64, number: UInt32)> {
    var entries = ContiguousArray<(word: UInt64, number: UInt32)>()
    entries.reserveCapacity(keys.count)
    appendWords { entries.append(($0, UInt32(entries.count))) }
    var buffer: ContiguousArray<(word: UInt64, number: UInt32)> = []
    entries.radixSort(through: &buffer, by: { $0.word })
    guard rule.key.source != nil, let order = rule.keys.order, !order.isExact else { return entries }
    var start = 0
    while start < entries.count {
      let word = entries[start].word
      var end = start + 1
      while end < entries.count, entries[end].word == word { end += 1 }
      if end > start + 1 {
        entries[start..<end].sort {
          let sign = order.compare(keys.keys[Int($0.number)], keys.keys[Int($1.number)])
          return sign == 0 ? $0.number < $1.number : sign < 0
        }
      }
      start = end
    }
    return entries
  }

  /// Calls `append` with the word of each group by which the result is ordered (`GroupRule.order`).
  private func appendWords(_ append: (UInt64) -> Void) {
    guard rule.key.source != nil, let order = rule.keys.order else {
      for number in 0..<keys.count { append(rule.isByFirstRow ? firstRows[number] : 0) }
      return
    }
    guard let abbreviateAll = order.abbreviateAll else {
      for key in keys.keys { append(order.abbreviate(key)) }
      return
    }
    keys.keys.withUnsafeBufferPointer { keys in
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 64) { words in
        guard let words = words.baseAddress else { return }
        for start in stride(from: 0, to: keys.count, by: 64) {
          let count = min(64, keys.count - start)
          guard let first = keys.baseAddress else { return }
          let values = StridedValues(
            first: UnsafeRawPointer(first + start), stride: MemoryLayout<Key>.stride,
            selected: .max >> UInt64(64 - count))
          abbreviateAll(values, words)
          for index in 0..<count { append(words[index]) }
        }
      }
    }
  }
}
