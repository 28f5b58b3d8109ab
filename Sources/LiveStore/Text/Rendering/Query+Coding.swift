extension Query {
  /// The query as text that `query(format:)` of its entity reads as an equal query:
  /// `likeCount >= 10 SORT(likeCount DESC) LIMIT(20)`; nil for a query that no text can say.
  ///
  /// Queries over a list, of distinct rows, of filters or orders after a window, with tracked paths, and with a limit of
  /// visits have none, nor have those whose filter names linked values that decide nothing; see ``Filter/format`` for filters.
  /// - Complexity: O(length of the text), which is written and read.
  public var format: String? {
    guard let text = (try? syntax)?.text, (try? Element.query(format: text)) != nil else { return nil }
    return text
  }

  /// The query as a text says it.
  private var syntax: QuerySyntax {
    get throws(UnwritableFilter) {
      guard stages.count == 1, let stage = stages.first, stage.source == nil, stage.distinct.isEmpty,
        stage.tracking.isEmpty, stage.maximumVisits == nil
      else { throw UnwritableFilter(reason: "\(self)") }
      var steps: [QuerySyntax.Step] = []
      var keys: [QuerySyntax.SortedPath] = []
      for key in stage.order.keys {
        guard case .path(let path, _) = try FilterSyntax.Operand(key.path, [nil]) else {
          throw UnwritableFilter(reason: "\(key)")
        }
        keys.append(.init(path: path, isDescending: key.order == .descending))
      }
      if !keys.isEmpty { steps.append(.sort(keys)) }
      // A window of all rows is one, too: what follows begins another stage.
      if stage.offset > 0 || stage.hasWindow && stage.limit == nil { steps.append(.offset(stage.offset)) }
      if let limit = stage.limit { steps.append(.limit(limit)) }
      return QuerySyntax(filter: try FilterSyntax(stage.filter), steps: steps)
    }
  }
}

extension Filter: Codable {
  /// Reads a filter from its text, which is checked against the schema.
  ///
  /// - Throws: `DecodingError.dataCorrupted` with the column and what is expected there.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do {
      try self.init(format: text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
    }
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
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do {
      self = try Element.query(format: text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
    }
  }

  /// Writes the query as its text; see ``format``.
  ///
  /// - Throws: `EncodingError.invalidValue` if no text says it.
  public func encode(to encoder: any Encoder) throws {
    try write(format, of: self, to: encoder)
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
