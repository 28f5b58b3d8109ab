extension Query {
  /// Selects the rows that meet a filter written as text, in the language of NSPredicate.
  ///
  /// ```swift
  /// let posts = try Post.all.where(format: "likeCount >= %@ AND title CONTAINS[cd] %@", 10, "swift")
  /// ```
  /// The text is checked against the schema. The filter is planned, routed and shared like the same filter written in
  /// Swift. See <doc:TextFilters> for the language.
  /// - Parameters:
  ///   - format: the filter.
  ///   - arguments: the values for `%@`, `%d` and the like, and the paths for `%K`, in order; also for `$0`, `$1` by
  ///     their numbers. A collection stands for a list. Values are never converted to text.
  ///   - variables: the values for `$name`.
  ///   - limits: limits of the text and of its evaluation; give some if the text comes from outside.
  /// - Throws: `invalidFilter` with the column and what is expected there, or the path that may not be named;
  ///   `filterTooExpensive` for another limit.
  /// - Complexity: O(length of the text).
  public func `where`(
    format: String, _ arguments: (any Sendable)?..., variables: [String: any Sendable] = [:],
    limits: FilterLimits = .none
  ) throws(StoreError) -> Query {
    try self.where(format: format, arguments: arguments, variables: variables, limits: limits)
  }

  /// Selects the rows that meet a filter written as text, with its arguments in an array.
  ///
  /// - Throws: `invalidFilter` with the column and what is expected there, or the path that may not be named;
  ///   `filterTooExpensive` for another limit.
  public func `where`(
    format: String, arguments: [(any Sendable)?], variables: [String: any Sendable] = [:],
    limits: FilterLimits = .none
  ) throws(StoreError) -> Query {
    do throws(FilterSyntaxError) {
      let arguments = FilterArguments(values: arguments, variables: variables)
      let filter = try FilterSyntax(parsing: format, on: Element.self, arguments, limits)
      return try self.where(checked: filter).limited(limits)
    } catch {
      throw StoreError(error, in: format)
    }
  }

  /// Applies a query written as text to the result so far: a filter, and after it the steps `SORT(path ASC, …)`,
  /// `DISTINCT(path, …)`, `OFFSET(n)`, `LIMIT(n)`.
  ///
  /// ```swift
  /// let mine = try Post.where { $0.author.id == user }.applying(format: "TRUEPREDICATE SORT(likeCount DESC) LIMIT(20)")
  /// ```
  /// - Throws: as ``Entity/query(format:_:variables:limits:)``.
  public func applying(format: String, limits: FilterLimits = .none) throws(StoreError) -> Query {
    do throws(FilterSyntaxError) {
      return try applying(
        QuerySyntax(parsing: format, limits: limits), FilterArguments(values: [], variables: [:]), limits)
    } catch {
      throw StoreError(error, in: format)
    }
  }

  /// Selects the rows that meet a filter without arguments.
  func `where`(checked syntax: FilterSyntax) throws(FilterSyntaxError) -> Query {
    selecting(try FilterCompiler<Element>().filter(syntax))
  }
}

extension FilterSyntax {
  /// Reads a filter within limits, with the values of its arguments.
  fileprivate init<Element: Entity>(
    parsing text: String, on type: Element.Type, _ arguments: FilterArguments, _ limits: FilterLimits
  ) throws(FilterSyntaxError) {
    self = try FilterSyntax(parsing: text, limits: limits).bound(arguments)
    try check(limits, on: type)
  }
}

extension Query {
  /// A query that may visit as many rows as limits say.
  fileprivate func limited(_ limits: FilterLimits) -> Query {
    limits.maximumVisits.map { visiting(atMost: $0) } ?? self
  }

  /// A query written as text: a filter and the steps after it.
  func applying(
    _ syntax: QuerySyntax, _ arguments: FilterArguments, _ limits: FilterLimits = .none
  ) throws(FilterSyntaxError) -> Query {
    let filter = try syntax.filter.bound(arguments)
    try filter.check(limits, on: Element.self)
    var query = try self.where(checked: filter).limited(limits)
    let compiler = FilterCompiler<Element>()
    func bound(_ path: FilterPath, isSorted: Bool = false) throws(FilterSyntaxError) -> FilterPath {
      let path = try path.bound(arguments, 1)
      try path.check(limits, 1, isSorted: isSorted)
      return path
    }
    for step in syntax.steps {
      switch step {
      case .offset(let count): query = query.offset(count)
      case .limit(let count): query = query.limit(count)
      case .sort(let keys):
        for key in keys {
          query = query.sorted(
            by: try compiler.key(bound(key.path, isSorted: true)) {
              $0.sortKey(key.isDescending ? .descending : .ascending)
            })
        }
      case .distinct(let paths):
        query = query.distinct(
          by: try paths.map { path throws(FilterSyntaxError) in try compiler.key(bound(path), \.distinctKey) }
        )
      }
    }
    return query
  }
}

extension FilterCompiler {
  /// The key of an order or of distinct values.
  fileprivate func key(
    _ path: FilterPath, _ key: (any TypedField) -> SortKey?
  ) throws(FilterSyntaxError) -> SortKey {
    guard case .field(let field) = try target(of: path, 1), let key = field.typed.flatMap(key) else {
      throw FilterSyntaxError(column: 1, message: "\(path) has no order")
    }
    return key
  }
}

extension Entity {
  /// The objects that meet a filter written as text; see ``Query/where(format:_:variables:limits:)``.
  ///
  /// ```swift
  /// let posts = try Post.where(format: "likeCount >= %@ AND title CONTAINS[cd] %@", 10, "swift")
  /// ```
  /// - Throws: `invalidFilter` with the column and what is expected there, or the path that may not be named;
  ///   `filterTooExpensive` for another limit.
  public static func `where`(
    format: String, _ arguments: (any Sendable)?..., variables: [String: any Sendable] = [:],
    limits: FilterLimits = .none
  ) throws(StoreError) -> Query<Self> {
    try all.where(format: format, arguments: arguments, variables: variables, limits: limits)
  }

  /// The objects that meet a filter written as text, with its arguments in an array.
  ///
  /// - Throws: `invalidFilter` with the column and what is expected there, or the path that may not be named;
  ///   `filterTooExpensive` for another limit.
  public static func `where`(
    format: String, arguments: [(any Sendable)?], variables: [String: any Sendable] = [:],
    limits: FilterLimits = .none
  ) throws(StoreError) -> Query<Self> {
    try all.where(format: format, arguments: arguments, variables: variables, limits: limits)
  }
}

extension Filter {
  /// A filter written as text, to be joined with others; see ``Query/where(format:_:variables:limits:)``.
  ///
  /// ```swift
  /// let popular = try Filter<Post>(format: "likeCount >= %@", 10)
  /// ```
  /// How many rows may be visited is a limit of a query, ``Query/visiting(atMost:)``; a filter takes all others.
  /// - Throws: `invalidFilter` with the column and what is expected there, or the path that may not be named;
  ///   `filterTooExpensive` for another limit.
  public init(
    format: String, _ arguments: (any Sendable)?..., variables: [String: any Sendable] = [:],
    limits: FilterLimits = .none
  ) throws(StoreError) {
    do throws(FilterSyntaxError) {
      let arguments = FilterArguments(values: arguments, variables: variables)
      let filter = try FilterSyntax(parsing: format, on: Element.self, arguments, limits)
      self.init(try FilterCompiler<Element>().filter(filter))
    } catch {
      throw StoreError(error, in: format)
    }
  }
}

extension Entity {
  /// A query written as text: a filter, and after it the steps `SORT(path ASC, …)`, `DISTINCT(path, …)`,
  /// `OFFSET(n)`, `LIMIT(n)`.
  ///
  /// ```swift
  /// let popular = try Post.query(format: "likeCount > %@ SORT(likeCount DESC) LIMIT(20)", 10)
  /// ```
  /// The steps apply in their order, as those of a ``Query`` do.
  /// - Throws: `invalidFilter` with the column and what is expected there, or the path that may not be named;
  ///   `filterTooExpensive` for another limit.
  public static func query(
    format: String, _ arguments: (any Sendable)?..., variables: [String: any Sendable] = [:],
    limits: FilterLimits = .none
  ) throws(StoreError) -> Query<Self> {
    try query(format: format, arguments: arguments, variables: variables, limits: limits)
  }

  /// A query written as text, with its arguments in an array.
  ///
  /// - Throws: `invalidFilter` with the column and what is expected there, or the path that may not be named;
  ///   `filterTooExpensive` for another limit.
  public static func query(
    format: String, arguments: [(any Sendable)?], variables: [String: any Sendable] = [:],
    limits: FilterLimits = .none
  ) throws(StoreError) -> Query<Self> {
    do throws(FilterSyntaxError) {
      return try all.applying(
        QuerySyntax(parsing: format, limits: limits),
        FilterArguments(values: arguments, variables: variables),
        limits)
    } catch {
      throw StoreError(error, in: format)
    }
  }
}

extension StoreError {
  /// The error of a text filter, with a caret below the place.
  init(_ error: FilterSyntaxError, in text: String) {
    self.init(
      error.limit == nil || error.limit == .paths ? StoreError.invalidFilter : StoreError.filterTooExpensive,
      "The filter is invalid at \(error)\n\(FilterExcerpt.lines(of: text, at: error.column).joined(separator: "\n"))"
    )
    column = error.column
    limit = error.limit
  }
}
