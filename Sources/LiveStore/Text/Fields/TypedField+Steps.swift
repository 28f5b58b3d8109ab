extension TypedField {
  func target(of step: FilterPath.Step, spreads: Bool) throws(FilterStepError) -> FilterTarget? {
    switch step {
    case .aggregate(let aggregate) where aggregate.isOfNumber:
      if let field = self as? any FilterCollectionField {
        return .field(aggregate == .count ? field.count : field.isEmpty)
      }
      if let field = self as? any FilterOptionalCollectionField {
        return .field(aggregate == .count ? field.countIfAny : field.isEmptyIfAny)
      }
      guard kind.isList || kind == .unknown || kind == .text || kind == .data else { return nil }
      return computed(step, aggregate == .count ? .number : .bool, spreads)
    case .aggregate(let aggregate):
      guard kind.isList || kind == .unknown else { return nil }
      if let field = (self as? any FilterElementField)?.aggregate(aggregate) { return .field(field) }
      if aggregate == .sum || aggregate == .avg, kind != .unknown, kind.element != .number {
        throw FilterStepError(
          message: "@\(aggregate.rawValue) adds numbers, and not \(kind.element.described)")
      }
      return computed(step, kind.element, spreads)
    case .key(let key):
      if let member = (self as? any FilterDictionaryField)?.member(key) { return .field(member) }
      fallthrough
    case .index, .last, .every:
      guard kind.isList || kind == .unknown else { return nil }
      return computed(step, step == .every ? .list(kind.element) : kind.element, spreads)
    case .name("length") where kind == .text: return computed(.aggregate(.count), .number, spreads)
    case .name: return kind == .unknown || kind == .list(.unknown) ? computed(step, kind, spreads) : nil
    case .argument: return nil
    }
  }

  private func computed(_ step: FilterPath.Step, _ kind: FilterKind, _ spreads: Bool) -> FilterTarget? {
    .field(ComputedField(self, step, kind, spreads))
  }
}

/// A value that is computed from another one of the row.
struct ComputedField: FilterField {
  let kind: FilterKind
  let numbers: NumberKind?
  let read: FilterReader
  let dependencies: [Dependency]

  init(kind: FilterKind, numbers: NumberKind?, read: @escaping FilterReader, dependencies: [Dependency]) {
    (self.kind, self.numbers, self.read, self.dependencies) = (kind, numbers, read, dependencies)
  }

  /// The value that a step leads to from another one.
  init(_ base: some FilterField, _ step: FilterPath.Step, _ kind: FilterKind, _ spreads: Bool) {
    let (read, numbers, spreads) = (base.read, base.numbers, spreads || base.kind.isList)
    if case .aggregate(let aggregate) = step {
      self.init(
        kind: kind, numbers: aggregate.numbers(of: numbers),
        read: { row, context in
          let value = read(row, context)
          // The characters of a text are counted.
          guard case .text(let text) = value, context.run?.read(text, isFolded: true) == false else {
            return aggregate.result(value, of: numbers)
          }
          return .missing
        }, dependencies: base.dependencies)
    } else {
      self.init(
        kind: kind, numbers: numbers, read: { read($0, $1).value(at: step, spreads: spreads) },
        dependencies: base.dependencies)
    }
  }

  func target(of step: FilterPath.Step, spreads: Bool) throws(FilterStepError) -> FilterTarget? {
    switch step {
    case .aggregate(.count): return .field(ComputedField(self, step, .number, spreads))
    case .aggregate(.isEmpty): return .field(ComputedField(self, step, .bool, spreads))
    case .argument: return nil
    case .aggregate where !kind.isList && kind != .unknown: return nil
    case .name where kind == .list(.unknown), .every:
      return .field(ComputedField(self, step, .list(.unknown), spreads))
    default:
      return kind.element == .unknown || kind.isList
        ? .field(ComputedField(self, step, kind.element, spreads)) : nil
    }
  }

  func condition(
    _ relation: FilterSyntax.Relation, _ literal: FilterLiteral, _ options: TextOptions
  ) -> ConditionTree? { nil }
  func membership(_ literals: [FilterLiteral]) -> ConditionTree? { nil }
  func between(_ lower: FilterLiteral, _ upper: FilterLiteral) -> ConditionTree? { nil }
  func comparison(
    _ relation: FilterSyntax.Relation, with other: any FilterField, _ options: TextOptions
  ) -> ConditionTree? { nil }
  func aggregate(_ aggregate: FilterPath.Aggregate, over rows: any FilterRows) -> (any FilterField)? { nil }
  func lifted(by levels: Int) -> any FilterField {
    let read = read
    return ComputedField(
      kind: kind, numbers: numbers,
      read: { _, context in
        let (row, context) = context.around(levels)
        return read(row, context)
      }, dependencies: dependencies.map { $0.lifted(by: levels) })
  }
  func pairing<Left>(
    _ relation: FilterSyntax.Relation, after left: Expr<Left>, _ leftKind: FilterKind, _ options: TextOptions
  ) -> ConditionTree? { nil }
  func filling(_ literal: FilterLiteral) -> (any FilterField)? { nil }
  var columnType: SQLColumnType? { nil }
  func sortKey(_ direction: SortDirection) -> SortKey? { nil }
  var distinctKey: SortKey? { nil }
}

extension FilterValue {
  /// The value that a step other than a function leads to; missing if it leads nowhere.
  /// - Parameter spreads: whether a name leads from a list to the values of its elements: of lists among them, to their
  ///   elements.
  func value(at step: FilterPath.Step, spreads: Bool) -> FilterValue {
    switch (self, step) {
    case (.object(let members), .name(let name)), (.object(let members), .key(let name)):
      return members[ComparedText(name)] ?? .missing
    case (.object(let members), .every): return .list(Array(members.values))
    case (.list(let elements), .index(let index)):
      return elements.indices.contains(index) ? elements[index] : .missing
    case (.list(let elements), .last): return elements.last ?? .missing
    case (.list, .every): return self
    case (.list(let elements), .name(let name)):
      if let index = JSONValue.arrayIndex(name) { return value(at: .index(index), spreads: spreads) }
      guard spreads else { return .missing }
      return .list(
        elements.flatMap { element in
          let value = element.value(at: step, spreads: true)
          return if case .list(let members) = value { members } else { [value] }
        })
    default: return .missing
    }
  }
}
