extension Term {
  /// Whether some part passes a test, parts about each of several objects or elements included.
  func anyPart(_ test: (Term) -> Bool) -> Bool { anyPart { part, _ in test(part) } }

  /// Whether some part passes a test.
  ///
  /// - Parameter test: is given a part, and whether it is about each of several objects or elements.
  func anyPart(_ test: (Term, _ isInner: Bool) -> Bool) -> Bool {
    switch self {
    case .row, .element, .constant, .comparator: false
    case .closure(_, let term), .property(let term, _), .key(let term, _), .step(let term, _, _),
      .target(let term), .linking(let term, _), .function(_, let term), .relevance(let term, _),
      .compare(let term, _, _), .range(let term, _, _), .member(let term, _), .link(let term, _),
      .contains(let term, _), .text(let term, _, _, _), .search(let term, _), .predicate(_, let term),
      .not(let term):
      test(term, false)
    case .operation(_, let left, let right), .fallback(let left, let right),
      .compareTerms(let left, _, let right), .pair(let left, _, let right), .general(let left, _, let right):
      test(left, false) || test(right, false)
    case .filtered(let term, let inner), .some(let term, let inner), .aggregate(_, let term, let inner):
      test(term, false) || test(inner, true)
    case .values(let term, let members): test(term, false) || members.contains { test($0, true) }
    case .all(let members), .any(let members): members.terms.contains { test($0, false) }
    case .program(let program): program.leaves.contains { test($0, false) }
    }
  }

  /// The term with each part replaced by the result of a function.
  ///
  /// - Parameter body: is given a part, and whether it is about each of several objects or elements.
  private func mappingParts(_ body: (Term, _ isInner: Bool) -> Term) -> Term {
    switch self {
    case .row, .element, .constant, .comparator: self
    case .closure(let identity, let term): .closure(identity, body(term, false))
    case .property(let term, let path): body(term, false).appending(path)
    case .key(let term, let key): .key(body(term, false), key)
    case .step(let term, let step, let spreads): .step(body(term, false), step, spreads: spreads)
    case .target(let term): .target(body(term, false))
    case .linking(let term, let link): .linking(body(term, false), link)
    case .filtered(let term, let condition): .filtered(body(term, false), body(condition, true))
    case .values(let term, let members): .values(body(term, false), members.map { body($0, true) })
    case .function(let name, let term): .function(name, body(term, false))
    case .aggregate(let name, let term, let member): .aggregate(name, body(term, false), body(member, true))
    case .relevance(let term, let pattern): .relevance(body(term, false), pattern)
    case .operation(let operation, let left, let right):
      .operation(operation, body(left, false), body(right, false))
    case .fallback(let term, let other): .fallback(body(term, false), body(other, false))
    case .compare(let term, let comparison, let value): .compare(body(term, false), comparison, value)
    case .compareTerms(let left, let comparison, let right):
      .compareTerms(body(left, false), comparison, body(right, false))
    case .pair(let left, let relation, let right): .pair(body(left, false), relation, body(right, false))
    case .range(let term, let lower, let upper): .range(body(term, false), lower: lower, upper: upper)
    case .member(let term, let values): .member(body(term, false), values)
    case .link(let term, let target): .link(body(term, false), target)
    case .contains(let term, let element): .contains(body(term, false), element)
    case .some(let term, let condition): .some(body(term, false), body(condition, true))
    case .text(let term, let test, let text, let options): .text(body(term, false), test, text, options)
    case .search(let term, let words): .search(body(term, false), words)
    case .predicate(let predicate, let term): .predicate(predicate, body(term, false))
    case .general(let left, let relation, let right):
      .general(body(left, false), relation, body(right, false))
    case .all(let members): .all(members.map { body($0, false) })
    case .any(let members): .any(members.map { body($0, false) })
    case .not(let term): .not(body(term, false))
    case .program(let program): .program(program.map { body($0, false) })
    }
  }

  /// The term with others in place of the rows and elements that it starts from.
  ///
  /// - Parameters:
  ///   - depth: how many rows are around the rows of the term.
  ///   - row: is given a row or element, its level, and how many levels further in than the term it stands.
  func replacingRows(
    at depth: Int = 0, _ row: (_ term: Term, _ level: Int, _ depth: Int) -> Term
  ) -> Term {
    switch self {
    case .row(let level), .element(_, let level): row(self, level, depth)
    default: mappingParts { $0.replacingRows(at: $1 ? depth + 1 : depth, row) }
    }
  }

  /// The same term for a row some levels further in (B3).
  package func lifted(by levels: Int) -> Term {
    if levels == 0 { return self }
    return replacingRows { term, level, depth in
      if level < depth { return term }
      return if case .element(let type, _) = term { .element(type, level: level + levels) } else {
        .row(level + levels)
      }
    }
  }
}

extension TermMembers {
  fileprivate func map(_ body: (Term) -> Term) -> TermMembers {
    TermMembers(terms: terms.map(body), isConjunction: isConjunction)
  }
}

// MARK: What a term starts from

extension Term {
  /// The name of the row's property that the term begins with, or whose links it follows.
  var propertyName: String? {
    switch self {
    case .property(.row(0), let path): path.names.first
    case .closure(_, let term), .property(let term, _), .key(let term, _), .step(let term, _, _),
      .target(let term), .function(_, let term), .relevance(let term, _), .fallback(let term, _),
      .operation(_, let term, _), .filtered(let term, _), .aggregate(_, let term, _), .values(let term, _),
      .some(let term, _):
      term.propertyName
    default: nil
    }
  }

  /// Whether it is only known as a whole: a closure or a predicate.
  var isOpaque: Bool {
    switch self {
    case .closure, .predicate: true
    case .program(let program): program.leaves.contains(where: \.isOpaque)
    default: false
    }
  }
}
