extension FilterCompiler {
  /// The condition of a comparison.
  func filter(_ comparison: FilterSyntax.Comparison) throws(FilterSyntaxError) -> ConditionTree {
    let first: Side
    switch try existence(comparison) {
    case .condition(let condition)?: return condition
    // The side was compiled, and is not compiled again: subqueries may nest.
    case .side(let side)?: first = side
    case nil: first = try side(comparison.left)
    }
    let second = try side(comparison.right)
    let left = comparison.relation == .contains ? first.listing : first.linking(to: second)
    let right = comparison.relation == .in ? second.listing : second.linking(to: first)
    try check(comparison, left, right)
    do throws(FilterStepError) {
      if let filter = try containment(comparison, first, second) { return filter }
      if let filter = try direct(comparison, left, right) { return filter }
    } catch {
      let column = comparison.right.column
      throw FilterSyntaxError(
        column: left.isTarget ? column : comparison.left.column,
        message: "\(left.isTarget ? comparison.left : comparison.right): \(error.message)",
        suggestion: error.suggestion)
    }
    return try general(
      left.converted(to: right), comparison.effectiveRelation, right.converted(to: left), comparison.options)
  }

  /// Whether a dictionary has a value, by the typed condition; nil if the comparison asks something else.
  private func containment(
    _ comparison: FilterSyntax.Comparison, _ left: Side, _ right: Side
  ) throws(FilterStepError) -> ConditionTree? {
    let (dictionary, value) = comparison.relation == .in ? (right, left) : (left, right)
    guard comparison.relation == .in || comparison.relation == .contains, comparison.options.isEmpty,
      dictionary.quantifier == nil, value.quantifier == nil,
      let field = dictionary.field?.typed as? any DictionaryField,
      case .literal(let literal) = value.content
    else { return nil }
    return try field.contains(literal)
  }

  private enum Existence {
    case condition(ConditionTree)
    /// The left side, where there is no such condition.
    case side(Side)
  }

  /// `SUBQUERY(…).@count > 0` and the like: whether some element meets the filter; the first one decides.
  private func existence(_ comparison: FilterSyntax.Comparison) throws(FilterSyntaxError) -> Existence? {
    guard case .subquery(let path, let variable, let filter, let column) = comparison.left,
      let isSome = comparison.isExistence
    else { return nil }
    let some: ConditionTree
    switch try subquery(path, variable, filter, column) {
    case .rows(let rows, let test): some = rows.some(test)
    case .elements(let field, let test): some = field.some(test)
    case .values(let target): return .side(Side(.target(target), column))
    }
    return .condition(isSome ? some : some.negated)
  }

  /// The condition that a typed expression would make; nil if there is none.
  private func direct(
    _ comparison: FilterSyntax.Comparison, _ left: Side, _ right: Side
  ) throws(FilterStepError) -> ConditionTree? {
    let relation = comparison.effectiveRelation
    switch (left.content, right.content) {
    case (.target(let target), .target(let other)):
      guard left.quantifier == nil, right.quantifier == nil,
        case .field(let field) = target, case .field(let second) = other, !field.kind.isList,
        let other = second.typed
      else { return nil }
      return field.typed?.comparison(relation, with: other, comparison.options)
    case (.target(let target), let given):
      guard right.quantifier == nil else { return nil }
      if relation == .text, left.object?.levels == 0 { return try search(given) }
      let content =
        try left.object.map { object throws(FilterStepError) in try given.identifying(object.entity) }
        ?? given
      return try condition(target, left.quantifier, relation, content, comparison.options)
    case (let content, .target(let target)):
      guard left.quantifier == nil else { return nil }
      if relation == .in, comparison.options.isEmpty, target.kind.isList || right.quantifier != nil {
        return try condition(target, right.quantifier, .equal, content, [])
      }
      guard let flipped = relation.flipped else { return nil }
      return try condition(target, right.quantifier, flipped, content, comparison.options)
    default:
      // A long comparison is made for each row, where it counts towards the rows that may be visited.
      let run = FilterRun(maximumVisits: 1_000, isTimed: false)
      let relation = FilterRelation(relation, comparison.options)
      let holds = run { relation.holds(left.constantSide, right.constantSide, run) }
      return run.isStopped ? nil : .constant(holds)
    }
  }

  /// A search in all searchable properties.
  private func search(_ content: Side.Content) throws(FilterStepError) -> ConditionTree? {
    guard case .literal(.text(let text)) = content else { return nil }
    guard Element.schema.definitions.contains(where: { $0.options.contains(.searchable) }) else {
      throw FilterStepError(
        message: "the schema of \(Element.self) has no searchable property; name one before TEXT")
    }
    return SearchedText(of: Element.self).filter(SearchPattern(text))
  }

  /// A condition on the values of a target.
  private func condition(
    _ target: FilterTarget, _ quantifier: FilterQuantifier?, _ relation: RelationalOperator,
    _ content: Side.Content, _ options: TextOptions
  ) throws(FilterStepError) -> ConditionTree? {
    switch target {
    case .field(let field):
      if field.kind.isList || field.kind == .unknown && quantifier != nil {
        return try elementCondition(field, quantifier, relation, content, options)
      }
      return try condition(field, relation, content, options)
    case .rows(let rows):
      let relation = relation == .contains ? .equal : relation
      let ids = try content.identifying(rows.entity)
      if case .literal(let id) = ids, id != .null, relation == .equal, quantifier != .all,
        let filter = try rows.linking(to: id)
      {
        return quantifier == .noElement ? filter.negated : filter
      }
      return try quantified(rows, .field(rows.id), quantifier, relation, ids, options)
    case .members(let rows, let member):
      return try quantified(rows, member, quantifier, relation, content, options)
    }
  }

  private func quantified(
    _ rows: any FilterRows, _ member: FilterTarget, _ quantifier: FilterQuantifier?,
    _ relation: RelationalOperator, _ content: Side.Content, _ options: TextOptions
  ) throws(FilterStepError) -> ConditionTree? {
    if member.kind.isList { return nil }
    let relation = relation == .contains && quantifier == nil && member.kind != .text ? .equal : relation
    guard let inner = try condition(member, nil, relation, content, options) else { return nil }
    return quantified(inner, quantifier, rows.some)
  }

  /// A condition on as many of several objects or elements as a quantifier says.
  private func quantified(
    _ condition: ConditionTree, _ quantifier: FilterQuantifier?,
    _ some: (ConditionTree) -> ConditionTree
  ) -> ConditionTree {
    switch quantifier {
    case .any?, nil: some(condition)
    case .all?: some(condition.negated).negated
    case .noElement?: some(condition).negated
    }
  }

  private func condition(
    _ field: FilterField, _ relation: RelationalOperator, _ content: Side.Content,
    _ options: TextOptions
  ) throws(FilterStepError) -> ConditionTree? {
    switch content {
    case .literal(let literal): return try field.typed?.condition(relation, literal, options)
    case .list(let literals):
      switch relation {
      case .in where options.isEmpty: return try field.typed?.membership(literals)
      case .between where literals.count == 2: return try field.typed?.between(literals[0], literals[1])
      case .equal, .notEqual, .in, .between: return nil
      default:
        // One of the values must pass.
        let alternatives = try literals.map { literal throws(FilterStepError) in
          try field.typed?.condition(relation, literal, options)
        }
        return alternatives.contains(nil) ? nil : .any(of: alternatives.compactMap(\.self))
      }
    case .target: return nil
    }
  }

  /// A condition on the elements of a list of values.
  private func elementCondition(
    _ field: FilterField, _ quantifier: FilterQuantifier?, _ relation: RelationalOperator,
    _ content: Side.Content, _ options: TextOptions
  ) throws(FilterStepError) -> ConditionTree? {
    guard let elements = field.typed as? any ElementField, let element = elements.element else { return nil }
    if case .literal(let literal) = content, options.isEmpty, quantifier != .all,
      relation == .equal || relation == .contains && quantifier == nil,
      let filter = try elements.contains(literal)
    {
      return quantifier == .noElement ? filter.negated : filter
    }
    // Lists are compared with lists as a whole.
    if case .list = content, quantifier == nil, relation == .equal || relation == .notEqual { return nil }
    let relation = relation == .contains && quantifier == nil ? .equal : relation
    return try condition(element, relation, content, options).map {
      quantified($0, quantifier, elements.some)
    }
  }

  /// A condition that reads both sides (F2).
  private func general(
    _ left: Side, _ relation: RelationalOperator, _ right: Side, _ options: TextOptions
  ) -> ConditionTree {
    let relation = FilterRelation(relation, options, constant: right.isTarget ? nil : right.constant)
    let (readLeft, readRight) = (left.quantifiedRead, right.quantifiedRead)
    let (leftQuantifier, rightQuantifier) = (left.quantifier, right.quantifier)
    let (isLeftSeveral, isRightSeveral) = (left.kind.isList, right.kind.isList)
    let answer = Accessor<Bool>.function { row, context in
      relation.holds(
        FilterSide(value: readLeft(row, context), quantifier: leftQuantifier, isSeveral: isLeftSeveral),
        FilterSide(value: readRight(row, context), quantifier: rightQuantifier, isSeveral: isRightSeveral),
        context.run)
    }
    let term = Term.general(
      left.untyped.term,
      TermRelation(relation.relation, relation.options, left: leftQuantifier, right: rightQuantifier),
      right.untyped.term)
    return .condition(
      Condition(
        term: term,
        mask: testMask(answer) { $0 }, candidates: nil, named: left.named + right.named))
  }
}

extension FilterCompiler.Side.Content {
  /// The content with the ids of objects of an entity in place of the objects.
  func identifying(_ entity: String) throws(FilterStepError) -> Self {
    func id(_ literal: FilterLiteral) throws(FilterStepError) -> FilterLiteral {
      guard case .object(let other, let id) = literal else { return literal }
      guard isSameText(other, entity) else {
        throw FilterStepError(message: "it leads to \(entity), and not to \(other)")
      }
      return id
    }
    switch self {
    case .literal(let literal): return .literal(try id(literal))
    case .list(let literals): return .list(try literals.map(id))
    case .target: return self
    }
  }
}

extension FilterTarget {
  /// Dictionaries as lists of their values; nil for other targets.
  fileprivate var listing: FilterTarget? {
    switch self {
    case .field(let field): (field.typed as? any DictionaryField).map { .field($0.members) }
    case .members(let rows, let target): target.listing.map { .members(rows, $0) }
    default: nil
    }
  }
}

extension FilterCompiler {
  /// Whether a path leads to an object, or to several.
  static func leadsToObject(_ path: FilterPath) -> Bool {
    switch (try? FilterCompiler().target(of: path, 0, spreads: true))?.kind {
    case .object, .list(.object): true
    default: false
    }
  }

  /// Whether a path leads to dictionaries, or to a list of them.
  static func leadsToDictionary(_ path: FilterPath, ofElements isElement: Bool) -> Bool {
    guard let target = try? FilterCompiler().target(of: path, 0, spreads: true) else { return false }
    if isElement, case .field(let field) = target, let element = (field.typed as? any ElementField)?.element {
      return element.typed is any DictionaryField
    }
    return target.listing != nil
  }
}

extension FilterCompiler.Side {
  /// The value that it is, if it is one of the row.
  var field: FilterField? { if case .target(.field(let field)) = content { field } else { nil } }

  /// A dictionary as the list of its values, in which a value is looked for; any other side as it is.
  var listing: Self {
    guard case .target(let target) = content, let listing = target.listing else { return self }
    var side = self
    side.content = .target(listing)
    return side
  }

  var isTarget: Bool { if case .target = content { true } else { false } }

  /// The value of a side that has no target.
  var constant: FilterValue {
    switch content {
    case .literal(let literal): FilterValue(literal)
    case .list(let literals): .list(literals.map { FilterValue($0) })
    case .target: .missing
    }
  }

  /// A side that has no target, with its quantifier.
  var constantSide: FilterSide {
    FilterSide(value: constant, quantifier: quantifier, isSeveral: kind.isList)
  }

  /// What it means.
  var term: Term {
    switch content {
    case .literal(.value(let constant)): .constant(constant)
    case .literal(let literal): .constant(Constant(literal))
    case .list(let literals): .constant(Constant(literals))
    case .target(let target): target.term
    }
  }

  /// The side with numbers as a text writes them: the type of a number that is compared makes no difference.
  fileprivate var untyped: Self {
    var side = self
    switch content {
    case .literal(let literal): side.content = .literal(literal.untyped)
    case .list(let literals): side.content = .list(literals.map(\.untyped))
    case .target: break
    }
    return side
  }

  var read: FilterReader {
    if case .target(let target) = content { return target.read }
    let constant = constant
    return { _, _ in constant }
  }

  /// The same for the relation: with a quantifier, it makes no difference how often a value occurs.
  fileprivate var quantifiedRead: FilterReader {
    if quantifier != nil, case .target(let target) = content { target.readDistinct } else { read }
  }

  /// The values read over links that it names.
  var named: [NamedValue] { if case .target(let target) = content { target.named } else { [] } }

  /// The kind in which its numbers are computed; nil if it has none.
  var numbers: NumberKind? {
    switch content {
    case .literal(let literal): literal.numbers
    case .list: nil
    case .target(let target): target.numbers
    }
  }

  var kind: FilterKind {
    switch content {
    case .literal(let literal): FilterKind(literal)
    case .list(let literals): .list(literals.first.map { FilterKind($0) } ?? .unknown)
    case .target(let target): target.kind
    }
  }
}
