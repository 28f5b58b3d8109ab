// Conditions on the elements of arrays and sets of values. An element is tested as if it were a row: its expression
// reads it where it lies.

extension Expr where Value: ElementCollection, Value.Member: Equatable & Sendable {
  /// Whether some element of an array or a set meets a condition: `$0.scores.contains { $0 > 3 }`; false for nil.
  ///
  /// The condition may name the element and the row.
  /// - Complexity: O(*n*) a row for *n* elements.
  public func contains(where condition: (Expr<Value.Member>) -> Expr<Bool>) -> Expr<Bool> {
    closed(condition) { $0.some($1) }
  }

  /// Whether all elements of an array or a set meet a condition; true if there are none, and for nil.
  ///
  /// The condition may name the element and the row.
  /// - Complexity: O(*n*) a row for *n* elements.
  public func allSatisfy(_ condition: (Expr<Value.Member>) -> Expr<Bool>) -> Expr<Bool> {
    !closed(condition) { $0.some($1.negated) }
  }

  /// Whether an array or a set holds an element: `$0.tags.contains("swift")`; false for nil.
  ///
  /// With ``PropertyOption/indexedElements``, only objects that hold the element are tested. A live query tests only
  /// changes of such objects in either case.
  /// - Parameter element: the element, compared by `==`, or looked up by its hash in a set.
  /// - Complexity: O(1) a row for a set, O(*n*) for an array of *n* elements.
  @_specialize(where Value == [String])
  @_specialize(where Value == Optional<[String]>)
  @_specialize(where Value == Set<String>)
  @_specialize(where Value == Optional<Set<String>>)
  @_specialize(where Value == [Int])
  @_specialize(where Value == Set<Int>)
  public func contains(_ element: Value.Member) -> Expr<Bool> {
    let accessor = accessor
    // The standard library takes long to hash letters with many marks.
    let isHashed = Value.isHashedInFilter && (element as? String)?.isLong != true
    let mask: RowMask = { base, stride, rows, context in
      let run = context.run
      return rowBits(accessor, base, stride, rows, context) { elements in
        if isHashed { return elements.containsHashedInFilter(element) }
        if let run, !run.compare(elements: elements.memberCountInFilter) { return false }
        return elements.containsMemberInFilter { isEqualValue($0, element) }
      }
    }
    return condition(
      .contains(term, Constant(element)), mask, candidates: SearchArgument(term, accessor, holding: element))
  }
}

extension Expr {
  /// Calls `body` with this collection, seen from the row around its elements, and a closure's condition.
  private func closed<Member>(
    _ condition: (Expr<Member>) -> Expr<Bool>, _ body: (Expr, ConditionTree) -> Expr<Bool>
  ) -> Expr<Bool> {
    let level = RowLevels.level(inside: self.level ?? 0)
    let condition = RowLevels.with(level) { condition(.element(at: level)) }.aligned(to: level)
    return body(aligned(to: level - 1), condition.filter)
  }

  /// An element of a collection, read where it lies.
  static func element(at level: Int) -> Expr {
    Expr(
      source: .path(.element(ObjectIdentifier(Value.self), level: 0)),
      accessor: .offset(0), level: level)
  }
}

extension Expr where Value: ElementCollection {
  /// Whether some element meets a condition.
  func some(_ condition: ConditionTree) -> Expr<Bool> {
    requireOwn(condition)
    let condition = condition.simplified
    if condition == .constant(false) { return Expr<Bool>(condition, at: level) }
    if condition.readsOuter { return someInside(condition) }
    let accessor = accessor
    let mask: RowMask = { base, stride, count, context in
      let run = context.run
      // Only the element is read, within the limits of the evaluation.
      let inner = ReadContext.none.running(run)
      return rowBits(accessor, base, stride, count, context) { elements in
        if run?.isStopped == true { return false }
        return elements.containsMemberInFilter { element in
          // The result of a stopped run does not matter.
          run?.visit() == false || withObject(element) { condition.matches($0, inner) }
        }
      }
    }
    let (path, element) = (term, Expr<Value.Member>.element(at: 0).term)
    // An element that equals a value is looked up as such (Q5).
    if case .condition(let test) = condition, case .compare(element, .equal, let value) = test.term,
      value.hasKnownEquality, let member = value.value(as: Value.Member.self)
    {
      return self.condition(
        .contains(path, value), mask, candidates: SearchArgument(path, accessor, holding: member))
    }
    return self.condition(.some(path, condition.term), mask, isConsistent: condition.isConsistent)
  }

  /// The same for a condition that also reads rows around the elements.
  private func someInside(_ condition: ConditionTree) -> Expr<Bool> {
    let (accessor, term) = (accessor, Term.some(term, condition.term))
    let value = Expr<Bool>(
      source: .path(term),
      accessor: .function { row, context in
        let (inner, run) = (context.inside(row), context.run)
        if run?.isStopped == true { return false }
        return accessor.read(row, context).containsMemberInFilter { element in
          // The result of a stopped run does not matter.
          run?.visit() == false || withObject(element) { condition.matches($0, inner) }
        }
      }, level: level)
    return value.condition(term, testMask(value.accessor) { $0 }, isConsistent: condition.isConsistent)
  }

  /// How many elements meet a condition.
  func count(_ condition: ConditionTree) -> Expr<Int> {
    requireOwn(condition)
    let (accessor, condition) = (accessor, condition.simplified)
    return Expr<Int>(
      source: .path(.function(.count, .filtered(term, condition.term))),
      accessor: .function { row, context in
        let (inner, run) = (context.inside(row), context.run)
        var count = 0
        if run?.isStopped == true { return count }
        accessor.read(row, context).forEachMemberInFilter { element in
          if run?.visit() != false, withObject(element, { condition.matches($0, inner) }) { count += 1 }
        }
        return count
      }, level: level)
  }

  private func requireOwn(_ condition: ConditionTree) {
    precondition(
      condition.isAboutRows(of: ObjectIdentifier(Value.Member.self)),
      "A condition on the elements of a collection names a property of another row. It may name the element and the rows around it."
    )
  }
}

// MARK: Dictionaries

extension Expr {
  /// The value under a key of a dictionary, nil if there is none: `$0.metadata["k"] == "v"`.
  public subscript<Key: Hashable & Sendable, Member: Sendable>(_ key: Key) -> Expr<Member?>
  where Value == [Key: Member] {
    let accessor = accessor
    // The standard library takes long to hash letters with many marks.
    let isLong = (key as? String)?.isLong ?? false
    return Expr<Member?>(
      source: .path(.key(term, Constant(key))),
      accessor: .function { row, context in
        let members = accessor.read(row, context)
        if isLong {
          if context.run?.compare(elements: members.count) == false { return nil }
          return members.first { isEqualValue($0.key, key) }?.value
        }
        return members[key]
      }, level: level)
  }

  /// Whether a dictionary has a value under some key, as `metadata CONTAINS 'v'` asks in a text.
  ///
  /// - Parameter value: the value, compared by `==`.
  /// - Complexity: O(*n*) a row for *n* keys.
  public func contains<Key: Hashable & Sendable, Member: Equatable & Sendable>(
    value: Member
  ) -> Expr<Bool> where Value == [Key: Member] {
    let accessor = accessor
    let mask: RowMask = { base, stride, count, context in
      let run = context.run
      return rowBits(accessor, base, stride, count, context) { members in
        run?.compare(elements: members.count) != false && members.values.contains { isEqualValue($0, value) }
      }
    }
    return condition(.contains(term, Constant(value)), mask)
  }
}
