// Conditions on linked objects: on each of them, and on the rows around (B1).

extension LinkedRows {
  /// The objects that meet a filter, which was made elsewhere and reads them alone.
  public func `where`(_ filter: Filter<Target>) -> LinkedRows { filtered(filter.tree) }

  /// Whether some object meets a filter: `$0.tags.objects.contains(popular)`.
  public func contains(_ filter: Filter<Target>) -> Expr<Bool> { some(filter.tree) }

  /// Whether all objects meet a filter; true if there are none.
  public func allSatisfy(_ filter: Filter<Target>) -> Expr<Bool> { !some(filter.tree.negated) }

  /// A closure's condition on each of the objects, and these objects as values of the row around them.
  func closed(_ condition: (Row<Target>) -> Expr<Bool>) -> (rows: LinkedRows, condition: ConditionTree) {
    let inner = RowLevels.level(inside: level)
    let test = RowLevels.with(inner) { condition(Row(level: inner)) }.aligned(to: inner)
    return (lifted(by: inner - 1 - level, to: inner - 1), test.filter)
  }

  /// The same objects for a row some levels further in.
  ///
  /// - Parameter level: the level of that row.
  func lifted(by levels: Int, to level: Int) -> LinkedRows {
    if levels == 0 { return self }
    let quickCount = quickCount
    var rows = LinkedRows(
      path: path.lifted(by: levels), level: level, walk: walk.lifted(by: levels),
      quickCount: { _, context in
        let (row, context) = context.around(levels)
        return quickCount?(row, context)
      })
    rows.remembers = remembers
    return rows
  }

  /// The objects that meet a filter.
  func filtered(_ added: ConditionTree) -> LinkedRows {
    requireOwn(added)
    let added = added.simplified
    var rows = LinkedRows(
      path: .filtered(path, added.term), level: level, walk: walk.filtered(added), quickCount: nil)
    rows.remembers = remembers || ObjectTest(added).remembers
    return rows
  }

  /// Whether some object meets a condition.
  func some(_ condition: ConditionTree) -> Expr<Bool> {
    requireOwn(condition)
    let condition = condition.simplified
    if condition == .constant(false) { return Expr<Bool>(condition, at: level) }
    let (walk, test) = (walk, ObjectTest(condition))
    let remembers = remembers || test.remembers
    let read: @Sendable (UnsafeRawPointer, ReadContext) -> Bool = { row, context in
      let context = context.remembering(remembers)
      let inner = test.context(of: row, context)
      var isFound = false
      walk.forEachOnce(row, context) { object in
        isFound = test.holds(object, inner)
        return !isFound
      }
      return isFound
    }
    let term = Term.some(path, condition.term)
    let value = Expr<Bool>(source: .path(term), accessor: .function(read), level: level)
    var linked: LinkedSearchArgument?
    if let place = path.place, place.level == 0, !place.hops.isEmpty, !condition.readsOuter {
      linked = LinkedSearchArgument(hops: place.hops, objects: .condition(condition))
    }
    return value.condition(
      term, testMask(value.accessor) { $0 }, linked: linked, isConsistent: condition.isConsistent)
  }

  /// A condition of linked objects is tested on them. Any other type of row would be read from the wrong object.
  private func requireOwn(_ condition: ConditionTree) {
    precondition(
      condition.isAboutRows(of: ObjectIdentifier(Target.self)),
      "A condition on linked objects of type \(Target.self) names a property of another object. It may name properties of its parameter, of the rows around it, and what they link to."
    )
  }
}
