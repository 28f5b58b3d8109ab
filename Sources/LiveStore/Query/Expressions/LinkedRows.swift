/// The objects that an object's list or set leads to, or that link to it, inside a filter or a sort.
///
/// ```swift
/// Post.where { $0.tags.contains { $0.name == "swift" } }
/// User.where { $0.linking(\Post.author).where { $0.likeCount > 9 }.count >= 5 }
/// ```
public struct LinkedRows<Target: Entity>: Sendable {
  let path: Term
  /// How many rows are around the one that the links belong to (B1).
  let level: Int
  /// The steps to the objects.
  let walk: LinkWalk
  /// Whether every row has the links to the objects. Behind an object that may be missing, the number of links
  /// is nil where the number of objects is 0.
  var haveLinks = false
  /// Whether conditions on these steps remember answers.
  var remembers = false
  /// The number of objects, if known without looking them up.
  let quickCount: (@Sendable (UnsafeRawPointer, ReadContext) -> Int?)?

  /// - Parameter visit: calls a body with each object that a link leads to until it returns false.
  init(
    path: Term, level: Int,
    visit: @escaping @Sendable (UnsafeRawPointer, ReadContext, (UnsafeRawPointer) -> Bool) -> Void,
    quickCount: (@Sendable (UnsafeRawPointer, ReadContext) -> Int?)?
  ) {
    self.init(path: path, level: level, walk: LinkWalk(visit), quickCount: quickCount)
  }

  init(
    path: Term, level: Int, walk: LinkWalk,
    quickCount: (@Sendable (UnsafeRawPointer, ReadContext) -> Int?)?
  ) {
    (self.path, self.level, self.walk, self.quickCount) = (path, level, walk, quickCount)
  }

  /// The objects that meet a condition.
  ///
  /// - Parameter condition: the condition on each object, which may also name the row that the links belong to.
  public func `where`(_ condition: (Row<Target>) -> Expr<Bool>) -> LinkedRows {
    let (rows, condition) = closed(condition)
    return rows.filtered(condition)
  }

  /// Whether some object meets a condition: `$0.items.contains { $0.price > row.limit }`.
  ///
  /// - Parameter condition: the condition on each object, which may also name the row that the links belong to.
  public func contains(where condition: (Row<Target>) -> Expr<Bool>) -> Expr<Bool> {
    let (rows, condition) = closed(condition)
    return rows.some(condition)
  }

  /// Whether all objects meet a condition; true if there are none.
  ///
  /// - Parameter condition: the condition on each object, which may also name the row that the links belong to.
  public func allSatisfy(_ condition: (Row<Target>) -> Expr<Bool>) -> Expr<Bool> {
    let (rows, condition) = closed(condition)
    return !rows.some(condition.negated)
  }

  /// How many objects there are; an object that is in a list twice counts twice.
  ///
  /// For the links of a property that is not optional, it is the number of links: each leads to an object, except in a
  /// property that the schema ignores, and during a transaction.
  public var count: Expr<Int> {
    let (walk, remembers, quickCount) = (walk, remembers, quickCount)
    return aggregate(counted(.count)) { row, context in
      if let count = quickCount?(row, context) { return count }
      var count = 0
      walk.forEachCounted(row, context.remembering(remembers)) { _, paths in
        let (sum, isOver) = count.addingReportingOverflow(paths)
        count = isOver ? .max : sum
      }
      return count
    }
  }

  /// Whether there are no objects.
  public var isEmpty: Expr<Bool> {
    let (walk, remembers, quickCount) = (walk, remembers, quickCount)
    return aggregate(counted(.isEmpty)) { row, context in
      if let count = quickCount?(row, context) { return count == 0 }
      var isEmpty = true
      walk.forEachOnce(row, context.remembering(remembers)) { _ in
        isEmpty = false
        return false
      }
      return isEmpty
    }
  }

  /// The values of a property of each object, in order.
  public func values<Value>(_ keyPath: KeyPath<Row<Target>, Expr<Value>>) -> Expr<[Value]> {
    values(Row<Target>()[keyPath: keyPath])
  }

  func values<Value>(_ member: Expr<Value>) -> Expr<[Value]> {
    let (walk, remembers) = (walk, remembers)
    return Expr<[Value]>(
      source: .path(path.appending(member.term)),
      accessor: .function { row, context in
        var values: [Value] = []
        walk.forEach(row, context.remembering(remembers)) { object in
          values.append(member.accessor.read(object, context))
          return true
        }
        return values
      },
      level: level)
  }

  /// The rows that a link of these rows leads to.
  func then<Next: Entity>(_ next: LinkedRows<Next>) -> LinkedRows<Next> {
    var rows = LinkedRows<Next>(
      path: path.appending(next.path), level: level, walk: walk.then(next.walk), quickCount: nil)
    rows.remembers = remembers || next.remembers
    return rows
  }

  /// A function of the number of objects; for links that cannot be missing, of the property that holds them.
  private func counted(_ function: TermFunction) -> Term {
    if haveLinks, case .target(let links) = path {
      .function(function, links)
    } else {
      .function(function, path)
    }
  }

  private func aggregate<Value>(
    _ term: Term, _ read: @escaping @Sendable (UnsafeRawPointer, ReadContext) -> Value
  ) -> Expr<Value> {
    Expr<Value>(source: .path(term), accessor: .function(read), level: level)
  }

  /// A function of a value of each object.
  ///
  /// - Parameter combine: adds a value, which counts as many times as paths lead to its object.
  private func folded<Value, Sum, Result>(
    _ function: CollectionFunction, _ member: Expr<Value>, _ initial: Sum,
    _ combine: @escaping @Sendable (inout Sum, Value, _ times: Int) -> Void,
    _ result: @escaping @Sendable (Sum) -> Result
  ) -> Expr<Result> where Sum: Sendable {
    let (walk, remembers) = (walk, remembers)
    return aggregate(.aggregate(function, path, member.term)) { row, context in
      var sum = initial
      walk.forEachCounted(row, context.remembering(remembers)) { object, paths in
        combine(&sum, member.accessor.read(object, context), paths)
      }
      return result(sum)
    }
  }
}

// MARK: Aggregates

extension LinkedRows {
  /// The sum of a property, optional or not; nil is skipped; zero when there are no values.
  ///
  /// As for a query: the sum is exact and rounded once, whatever the order of the objects. If a sum of integers does
  /// not fit their type, it is the nearest value that does.
  /// - Parameter keyPath: the property of the linked objects.
  /// - Complexity: O(*l* log *n*) a row for *l* links.
  public func sum<Value: SummableValue>(_ keyPath: KeyPath<Row<Target>, Expr<Value>>) -> Expr<Value.Summand> {
    sum(of: Row<Target>()[keyPath: keyPath])
  }

  /// The least value of a property; nil when there are none.
  public func min<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Target>, Expr<Value>>
  ) -> Expr<Value?> {
    extreme(.min, Row<Target>()[keyPath: keyPath], { $0 })
  }

  /// The least value of an optional property; nil when there are none.
  public func min<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Target>, Expr<Value?>>
  ) -> Expr<Value?> {
    extreme(.min, Row<Target>()[keyPath: keyPath], { $0 })
  }

  /// The greatest value of a property; nil when there are none.
  public func max<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Target>, Expr<Value>>
  ) -> Expr<Value?> {
    extreme(.max, Row<Target>()[keyPath: keyPath], { $0 })
  }

  /// The greatest value of an optional property; nil when there are none.
  public func max<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Target>, Expr<Value?>>
  ) -> Expr<Value?> {
    extreme(.max, Row<Target>()[keyPath: keyPath], { $0 })
  }

  private func extreme<Value: Comparable & Sendable, Member>(
    _ function: CollectionFunction, _ member: Expr<Member>, _ value: @escaping @Sendable (Member) -> Value?
  ) -> Expr<Value?> {
    let (order, sign) = (ValueOrder<Value>.ofType(), function == .min ? -1 : 1)
    return folded(
      function, member, Value?.none,
      { best, next, _ in
        guard let next = value(next) else { return }
        if best.map({ (order?.compare(next, $0) ?? totalOrder(next, $0)) * sign > 0 }) ?? true { best = next }
      }, { $0 })
  }

  /// The mean of a property, optional or not: the exact sum divided by the number of values; nil when there are none.
  ///
  /// - Parameter keyPath: the property of the linked objects.
  /// - Complexity: O(*l* log *n*) a row for *l* links.
  public func average<Value: SummableValue>(_ keyPath: KeyPath<Row<Target>, Expr<Value>>) -> Expr<Double?> {
    average(of: Row<Target>()[keyPath: keyPath])
  }

  /// The sum of a value of each object.
  func sum<Value: SummableValue>(of member: Expr<Value>) -> Expr<Value.Summand> {
    exactSum(.sum, member) { Value.Summand.value(of: $0) }
  }

  /// The mean of a value of each object.
  func average<Value: SummableValue>(of member: Expr<Value>) -> Expr<Double?> {
    exactSum(.avg, member) { $0.average }
  }

  /// The least or greatest of an optional value of the objects.
  func extreme<Value: Comparable & Sendable>(of member: Expr<Value?>, isLeast: Bool) -> Expr<Value?> {
    extreme(isLeast ? .min : .max, member, { $0 })
  }

  /// The least or greatest value of the objects.
  func extreme<Value: Comparable & Sendable>(of member: Expr<Value>, isLeast: Bool) -> Expr<Value?> {
    extreme(isLeast ? .min : .max, member, { $0 })
  }

  private func exactSum<Value: SummableValue, Result: Sendable>(
    _ function: CollectionFunction, _ member: Expr<Value>, _ result: @escaping @Sendable (ExactSum) -> Result
  ) -> Expr<Result> {
    folded(
      function, member, ExactSum(),
      { sum, next, times in
        guard let next = next.summand else { return }
        if times == 1 {
          Value.Summand.add(next, to: &sum, isRemoval: false)
          sum.values += 1
        } else {
          var one = ExactSum()
          Value.Summand.add(next, to: &one, isRemoval: false)
          one.values = 1
          sum.add(one, times: times)
        }
      }, result)
  }
}
