/// Objects of one entity that the links of a row lead to, with their type behind them.
protocol FilterRows: Sendable {
  associatedtype Target: Entity
  var rows: LinkedRows<Target> { get }
  /// Makes the condition that the property that holds the links leads to an object; nil if there is no such property.
  var link: (@Sendable (Ref<Target>) -> ConditionTree)? { get }
}

struct TypedRows<Target: Entity>: FilterRows {
  let rows: LinkedRows<Target>
  var link: (@Sendable (Ref<Target>) -> ConditionTree)?
}

extension FilterRows {
  /// The objects themselves, as a term.
  var path: Term { rows.path }
  /// The name of their entity.
  var entity: String { "\(Target.self)" }
  /// Their ids.
  var id: FilterField { FilterField(Row<Target>().rowID) }
  /// How many there are.
  var count: FilterField { FilterField(rows.count) }
  /// Whether there are none.
  var isEmpty: FilterField { FilterField(rows.isEmpty) }

  /// The target that names lead to from each of the objects, and how many of the names it takes.
  func target(
    of names: ArraySlice<String>, spreads: Bool
  ) throws(FilterStepError) -> (target: FilterTarget, count: Int) {
    try FilterRoot<Target>.target(of: names, spreads: spreads)
  }

  /// Whether the links lead to an object with an id; nil if it takes more than the links of one property to know.
  func linking(to id: FilterLiteral) throws(FilterStepError) -> ConditionTree? {
    guard let link else { return nil }
    return try FilterConversion.value(of: id, as: Ref<Target>.self).map(link)
  }

  /// Whether some object meets a filter.
  func some(_ filter: ConditionTree) -> ConditionTree { rows.some(filter).filter }

  /// The objects that meet a filter.
  func filtered(_ filter: ConditionTree) -> any FilterRows { TypedRows(rows: rows.filtered(filter)) }

  /// The objects that links of these lead to.
  func then(_ next: any FilterRows) -> any FilterRows {
    func joined<Next: FilterRows>(_ next: Next) -> any FilterRows {
      TypedRows<Next.Target>(rows: rows.then(next.rows))
    }
    return joined(next)
  }

  /// A list of a value of each object; of lists, of their elements.
  ///
  /// - Parameter areDistinct: whether an object that several paths lead to counts once.
  func values(_ read: @escaping FilterReader, areDistinct: Bool) -> FilterReader {
    let (walk, remembers) = (rows.walk, rows.remembers)
    return { row, context in
      var values: [FilterValue] = []
      func append(_ object: UnsafeRawPointer) -> Bool {
        let value = read(object, context)
        if case .list(let elements) = value { values += elements } else { values.append(value) }
        return true
      }
      let context = context.remembering(remembers)
      if areDistinct {
        walk.forEachOnce(row, context, append)
      } else {
        walk.forEach(row, context, append)
      }
      return .list(values)
    }
  }

  /// The same objects as those of a row that is some levels further in.
  func lifted(by levels: Int) -> any FilterRows {
    var lifted = TypedRows(rows: rows.lifted(by: levels, to: 0))
    if let link { lifted.link = { link($0).lifted(by: levels) } }
    return lifted
  }

  /// Makes a filter over the objects.
  ///
  /// - Parameter outer: the scope of variables that are not theirs.
  func compile(
    _ filter: FilterSyntax, variable: String, inside outer: any FilterScope
  ) throws(FilterSyntaxError) -> ConditionTree {
    try FilterCompiler<Target>(variable: variable, outer: outer).filter(filter)
  }
}
