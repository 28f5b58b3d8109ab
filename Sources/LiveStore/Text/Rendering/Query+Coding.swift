extension Query {
  /// The query as text that `query(format:)` of its entity reads as an equal query:
  /// `likeCount >= 10 SORT(likeCount DESC) LIMIT(20)`; nil for a query that no text can say.
  ///
  /// Queries over a list, of distinct rows, of filters or orders after a window, and with a limit of visits have none; see
  /// ``Filter/format`` for filters. A tracked value of a linked object is written as a condition that decides nothing,
  /// `NOT author.name IN {}`; not all values of several objects can be.
  /// - Complexity: O(length of the text), which is written and read.
  public var format: String? {
    guard let text = (try? syntax)?.text, (try? Element.query(format: text)) == self else { return nil }
    return text
  }

  /// The query as a text says it.
  private var syntax: QuerySyntax {
    get throws(UnwritableFilter) {
      guard stages.count == 1, let stage = stages.first, stage.source == nil, stage.distinct.isEmpty,
        stage.maximumVisits == nil
      else { throw UnwritableFilter(reason: "\(self)") }
      var steps: [QuerySyntax.Step] = []
      let keys = try stage.order.keys.map { key throws(UnwritableFilter) in
        guard case .path(let path, _) = try FilterSyntax.Operand(key.path, [nil]) else {
          throw UnwritableFilter(reason: "\(key)")
        }
        return QuerySyntax.SortedPath(path: path, isDescending: key.order == .descending)
      }
      if !keys.isEmpty { steps.append(.sort(keys)) }
      // A window of all rows is one, too: what follows begins another stage.
      if stage.offset > 0 || stage.hasWindow && stage.limit == nil { steps.append(.offset(stage.offset)) }
      if let limit = stage.limit { steps.append(.limit(limit)) }
      return QuerySyntax(filter: try filter(of: stage), steps: steps)
    }
  }

  /// The filter of a stage, and a condition that decides nothing for each linked value that is only tracked.
  private func filter(of stage: QueryStage) throws(UnwritableFilter) -> FilterSyntax {
    let filter = try FilterSyntax(stage.filter.term)
    var members = stage.filter == .constant(true) ? [] : filter.conjuncts
    for value in stage.tracked { members.append(try Self.naming(value)) }
    return members.count > 1 ? .and(members, column: 0) : members.first ?? filter
  }

  /// A condition that all rows meet and that names one linked value.
  private static func naming(_ named: NamedValue) throws(UnwritableFilter) -> FilterSyntax {
    let value = try FilterSyntax.Operand.reading(named.term)
    var conditions = [FilterSyntax.not(.comparison(.init(value, .in, .list([], column: 0))), column: 0)]
    // A number of objects is computed even where it decides nothing; "above 0" asks whether there is one.
    for number in 0...1 {
      let bound = FilterSyntax.Operand.literal(.number(JSONNumber(number)), column: 0)
      let condition = FilterSyntax.comparison(.init(value, .greater, bound))
      conditions.append(.or([condition, .not(condition, column: 0)], column: 0))
    }
    for condition in conditions {
      if let read = try? Filter<Element>(format: condition.text), read.tree.simplified == .constant(true),
        read.tree.named(notIn: .constant(true)) == [named]
      {
        return condition
      }
    }
    throw UnwritableFilter(reason: "tracking(\(named.term))")
  }
}

extension Filter: Codable {
  /// Reads a filter from its text, which is checked against the schema.
  ///
  /// - Throws: `DecodingError.dataCorrupted` with the column and what is expected there.
  public init(from decoder: any Decoder) throws {
    self = try read(from: decoder) { try Filter(format: $0) }
  }

  /// Writes the filter as its text; see ``format``.
  ///
  /// ```swift
  /// let data = try JSONEncoder().encode([Filter<Post> { $0.likeCount >= 10 }])
  /// let filters = try JSONDecoder().decode([Filter<Post>].self, from: data)
  /// ```
  /// - Throws: `EncodingError.invalidValue` if no text says it.
  public func encode(to encoder: any Encoder) throws {
    try write(format, of: self, to: encoder)
  }
}

extension Query: Codable {
  /// Reads a query from its text, which is checked against the schema.
  ///
  /// - Throws: `DecodingError.dataCorrupted` with the column and what is expected there.
  public init(from decoder: any Decoder) throws {
    self = try read(from: decoder) { try Element.query(format: $0) }
  }

  /// Writes the query as its text; see ``format``.
  ///
  /// - Throws: `EncodingError.invalidValue` if no text says it.
  public func encode(to encoder: any Encoder) throws {
    try write(format, of: self, to: encoder)
  }
}

/// Reads a value from its text.
private func read<Value>(from decoder: any Decoder, _ value: (String) throws -> Value) throws -> Value {
  let container = try decoder.singleValueContainer()
  let text = try container.decode(String.self)
  do {
    return try value(text)
  } catch {
    throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
  }
}

/// Writes a text, or says that there is none.
private func write<Value>(_ format: String?, of value: Value, to encoder: any Encoder) throws {
  guard let format else {
    throw EncodingError.invalidValue(
      value, .init(codingPath: encoder.codingPath, debugDescription: "\(value) cannot be written as text"))
  }
  var container = encoder.singleValueContainer()
  try container.encode(format)
}
