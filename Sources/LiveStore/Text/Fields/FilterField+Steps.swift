extension FilterField {
  /// The target of a further step; nil if it leads nowhere.
  /// - Parameter spreads: whether a name leads from an array of JSON to the values of its elements.
  func target(of step: PathStep, spreads: Bool) throws(FilterStepError) -> FilterTarget? {
    let isSeveral = kind.isList || kind == .unknown
    switch step {
    case .aggregate(let aggregate) where aggregate.isOfNumber:
      if let field = typed as? any CollectionField { return .field(field.number(aggregate)) }
      if let field = typed as? any OptionalCollectionField { return .field(field.number(aggregate)) }
      guard isSeveral || kind == .text || kind == .data || typed == nil else { return nil }
      return .field(computed(aggregate, aggregate == .count ? .number : .bool))
    case .aggregate(let aggregate):
      guard isSeveral else { return nil }
      if let field = (typed as? any ElementField)?.aggregate(aggregate) { return .field(field) }
      // The elements of a computed value are known when it is read.
      if aggregate == .sum || aggregate == .avg, typed != nil, kind != .unknown, kind.element != .number {
        throw FilterStepError(
          message: "@\(aggregate.rawValue) adds numbers, and not \(kind.element.described)")
      }
      return .field(computed(aggregate, kind.element))
    case .key(let key):
      if let member = (typed as? any DictionaryField)?.member(key) { return .field(member) }
      return isSeveral ? .field(computed(step, kind.element, spreads)) : nil
    case .index, .last: return isSeveral ? .field(computed(step, kind.element, spreads)) : nil
    // A computed value may be a list of lists, or an object.
    case .every where typed == nil: return .field(computed(step, .list(.unknown), spreads))
    case .every: return isSeveral ? .field(computed(step, .list(kind.element), spreads)) : nil
    case .name("length") where kind == .text:
      if typed is any CollectionField || typed is any OptionalCollectionField {
        return try target(of: .aggregate(.count), spreads: spreads)
      }
      return .field(computed(.count, .number, .step(term, step, spreads: spreads)))
    case .name where kind.element == .unknown: return .field(computed(step, kind, spreads))
    case .name: return typed == nil && kind.isList ? .field(computed(step, kind.element, spreads)) : nil
    case .argument: return nil
    }
  }

  /// A function of the value: of the elements of a list, the characters of a text, the bytes of data.
  ///
  /// - Parameter written: its term, if the text writes it otherwise.
  private func computed(
    _ aggregate: CollectionFunction, _ kind: FilterKind, _ written: Term? = nil
  ) -> FilterField {
    let (read, numbers) = (read, numbers)
    return FilterField(
      written ?? .function(.aggregate(aggregate), term), kind: kind, numbers: aggregate.numbers(of: numbers),
      read: { row, context in
        let value = read(row, context)
        // The characters of a text are counted.
        guard case .text(let text) = value, context.run?.read(text, isFolded: true) == false else {
          return aggregate.result(value, of: numbers)
        }
        return .missing
      }, named: named)
  }

  /// The value that a step leads to.
  private func computed(_ step: PathStep, _ kind: FilterKind, _ spreads: Bool) -> FilterField {
    let (read, spreads) = (read, spreads || self.kind.isList)
    return FilterField(
      .step(term, step, spreads: spreads), kind: kind, numbers: numbers,
      read: { read($0, $1).value(at: step, spreads: spreads) }, named: named)
  }
}

extension FilterValue {
  /// The value that a step other than a function leads to; missing if it leads nowhere.
  /// - Parameter spreads: whether a name leads from a list to the values of its elements: of lists among them, to their
  ///   elements.
  func value(at step: PathStep, spreads: Bool) -> FilterValue {
    switch (self, step) {
    case (.object(let members), .name(let name)), (.object(let members), .key(let name)):
      return members[ComparedText(name)] ?? .missing
    case (.object(let members), .every): return .list(members.valuesByKey)
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
