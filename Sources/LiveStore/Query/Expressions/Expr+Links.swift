// Expressions that follow links. A link to an object that does not exist makes a value nil, never an error.

extension ReadContext {
  /// The object that a reference leads to.
  func target<Target: Entity>(_ reference: Ref<Target>) -> UnsafeRawPointer? {
    guard let table = catalog.index(of: Target.self) else { return nil }
    return row(of: reference.id, in: table, Target.self)?.object
  }
}

extension Expr {
  /// A value of the object behind a single reference.
  fileprivate func linked<Target: Entity, Member, Result>(
    _ keyPath: SendableKeyPath<Target, Member>, _ reference: @escaping @Sendable (Value) -> Ref<Target>?,
    _ result: @escaping @Sendable (Member) -> Result?
  ) -> Expr<Result?> {
    let (accessor, member) = (accessor, Row<Target>()[keyPath])
    let read = Accessor<Result?>.function { row, context in
      guard let reference = reference(accessor.read(row, context)),
        let object = context.target(reference)
      else { return nil }
      return result(member.accessor.read(object, context))
    }
    return through(member, read, isNilWithoutObject: true)
  }

  /// An expression over the rows that the link read here leads to.
  ///
  /// - Parameters:
  ///   - member: the value to read from one of them.
  ///   - isNilWithoutObject: whether the result is nil if there is no such row.
  func through<Member, Result>(
    _ member: Expr<Member>, _ read: Accessor<Result>, isNilWithoutObject: Bool = false
  ) -> Expr<Result> {
    Expr<Result>(
      source: .path(.target(term).appending(member.term)), accessor: read, level: level,
      isNilWithoutObject: isNilWithoutObject)
  }
}

extension Expr where Value: RelationValue {
  /// A value of the object that a single reference leads to; `missing` where there is none.
  func linked<Member>(_ keyPath: SendableKeyPath<Value.Target, Member>, missing: Member) -> Expr<Member>
  where Member: Sendable {
    let (accessor, member) = (accessor, Row<Value.Target>()[keyPath])
    let read = Accessor<Member>.function { row, context in
      var target: UnsafeRawPointer?
      accessor.read(row, context).forEachReference { target = context.target($0) }
      return target.map { member.accessor.read($0, context) } ?? missing
    }
    return through(member, read)
  }

  /// A value of the object that a single reference leads to; nil where there is none.
  func linked<Member>(_ member: Expr<Member>) -> Expr<Member?> {
    let accessor = accessor
    let read = Accessor<Member?>.function { row, context in
      var target: UnsafeRawPointer?
      accessor.read(row, context).forEachReference { target = context.target($0) }
      return target.map { member.accessor.read($0, context) }
    }
    // A member that is read along further links is nil without their objects, or may have a value.
    let isNil = member.isNilWithoutObject || member.term.ownPath != nil
    return through(member, read, isNilWithoutObject: isNil)
  }
}

extension Expr {
  /// A value of the object referred to; nil when the object does not exist: `$0.author.name`.
  public subscript<Target: Entity, Member>(
    dynamicMember keyPath: SendableKeyPath<Target, Member>
  ) -> Expr<Member?> where Value == Ref<Target> {
    linked(keyPath, { $0 }, { $0 })
  }

  /// An optional value of the object referred to; nil when it or the object does not exist.
  public subscript<Target: Entity, Member>(
    dynamicMember keyPath: SendableKeyPath<Target, Member?>
  ) -> Expr<Member?> where Value == Ref<Target> {
    linked(keyPath, { $0 }, { $0 })
  }

  /// A value of the object referred to; nil when there is none: `$0.author.name`.
  public subscript<Target: Entity, Member>(
    dynamicMember keyPath: SendableKeyPath<Target, Member>
  ) -> Expr<Member?> where Value == Ref<Target>? {
    linked(keyPath, { $0 }, { $0 })
  }

  /// An optional value of the object referred to; nil when it or the object does not exist.
  public subscript<Target: Entity, Member>(
    dynamicMember keyPath: SendableKeyPath<Target, Member?>
  ) -> Expr<Member?> where Value == Ref<Target>? {
    linked(keyPath, { $0 }, { $0 })
  }
}

// MARK: Several objects

/// Links whose order is not part of their value.
protocol UnorderedLinks {}
extension RefSet: UnorderedLinks {}
extension RefMap: UnorderedLinks {}
extension Optional: UnorderedLinks where Wrapped: UnorderedLinks {}

extension Conditions {
  /// Whether a value links to a target.
  static func linking<Value: RelationValue>(
    _ lhs: Expr<Value>, to target: Ref<Value.Target>
  ) -> Expr<Bool> {
    let accessor = lhs.accessor
    let mask: RowMask = { base, stride, rows, context in
      let run = context.run
      return rowBits(accessor, base, stride, rows, context) { value in
        var (isLinked, count) = (false, 0)
        value.forEachReference { reference in
          count += 1
          isLinked = isLinked || reference == target
        }
        run?.compare(elements: count)
        return isLinked
      }
    }
    return lhs.condition(
      .link(lhs.term, Constant(target)), mask,
      candidates: SearchArgument(lhs.term, lhs.accessor, linkingTo: idHash(target.id)))
  }
}

extension Expr where Value: RelationValue {
  /// Whether the value links to an object: `$0.tags.contains(swift.ref)`.
  public func contains(_ target: Ref<Value.Target>) -> Expr<Bool> { Conditions.linking(self, to: target) }

  /// The existing objects that it leads to, in order.
  fileprivate var rows: LinkedRows<Value.Target> {
    var rows = Value.self is any UnorderedLinks.Type ? rowsOfUnordered : rowsInOrder
    rows.haveLinks = !(Value.self is any OptionalValue.Type)
    return rows
  }

  /// How many links there are; nil where a row may have none because a value on the way is nil.
  private var linkCount: (@Sendable (UnsafeRawPointer, ReadContext) -> Int?)? {
    if Value.self is any OptionalValue.Type { return nil }
    let accessor = accessor
    return { row, context in
      var count = 0
      accessor.read(row, context).forEachReference { _ in count += 1 }
      context.run?.compare(elements: count)
      return count
    }
  }

  private var rowsInOrder: LinkedRows<Value.Target> {
    let accessor = accessor
    return LinkedRows(
      path: .target(term), level: level ?? 0,
      visit: { row, context, body in
        var isGoingOn = true
        accessor.read(row, context).forEachReference { reference in
          if isGoingOn, let object = context.target(reference) { isGoingOn = body(object) }
        }
      },
      quickCount: linkCount)
  }

  /// The same for values that are equal with their references in different orders. The objects are then in a fixed
  /// order, so that lists and sums of their values are the same for equal values (V7).
  private var rowsOfUnordered: LinkedRows<Value.Target> {
    let accessor = accessor
    return LinkedRows(
      path: .target(term), level: level ?? 0,
      visit: { row, context, body in
        guard let table = context.catalog.index(of: Value.Target.self) else { return }
        var (rows, count, isGoingOn) = ([FoundRow](), 0, context.run?.isStopped != true)
        accessor.read(row, context).forEachReference { reference in
          guard isGoingOn else { return }
          count += 1
          // All objects are looked up, and the body may be called with the first alone.
          if count % 8 == 0 { isGoingOn = context.run?.compare(elements: 8) != false }
          guard let found = context.row(of: reference.id, in: table, Value.Target.self) else { return }
          rows.append(found)
        }
        guard isGoingOn else { return }
        rows.sort { $0.row < $1.row }
        for row in rows where !body(row.object) { return }
      },
      quickCount: linkCount)
  }

  /// The objects that it leads to that meet a condition.
  public func `where`(_ condition: (Row<Value.Target>) -> Expr<Bool>) -> LinkedRows<Value.Target> {
    rows.where(condition)
  }

  /// Whether some object that it leads to meets a condition: `$0.tags.contains { $0.name == "swift" }`.
  public func contains(where condition: (Row<Value.Target>) -> Expr<Bool>) -> Expr<Bool> {
    rows.contains(where: condition)
  }

  /// Whether all objects that it leads to meet a condition; true when there are none.
  public func allSatisfy(_ condition: (Row<Value.Target>) -> Expr<Bool>) -> Expr<Bool> {
    rows.allSatisfy(condition)
  }

  /// The objects that link to the objects that this leads to.
  public func linking<Source: Entity, Other: RelationValue>(
    _ property: SendableKeyPath<Source, Other>
  ) -> LinkedRows<Source> where Other.Target == Value.Target {
    rows.then(Row<Value.Target>().linking(property))
  }

  /// The objects that it leads to, for aggregates: `$0.tags.objects.sum(\.weight)`.
  public var objects: LinkedRows<Value.Target> { rows }
}

extension Expr {
  /// The values of a property of each object in the list: `$0.tags.name`.
  public subscript<Target: Entity, Member>(
    dynamicMember keyPath: SendableKeyPath<Target, Member>
  ) -> Expr<[Member]> where Value == RefList<Target> {
    rows.values(Row<Target>()[keyPath])
  }

  /// The values of a property of each object in the set, in the objects' insertion order.
  public subscript<Target: Entity, Member>(
    dynamicMember keyPath: SendableKeyPath<Target, Member>
  ) -> Expr<[Member]> where Value == RefSet<Target> {
    rows.values(Row<Target>()[keyPath])
  }

  /// The values of a property of all objects in the lists.
  public subscript<Target: Entity, Member>(
    dynamicMember keyPath: SendableKeyPath<Target, Member>
  ) -> Expr<[Member]> where Value == [RefList<Target>] {
    linkedValues(keyPath) { lists in lists.flatMap { Array($0) } }
  }

  /// The values of a property of each object referred to.
  public subscript<Target: Entity, Member>(
    dynamicMember keyPath: SendableKeyPath<Target, Member>
  ) -> Expr<[Member]> where Value == [Ref<Target>?] {
    linkedValues(keyPath) { $0.compactMap(\.self) }
  }

  /// The values of a property of each object referred to.
  public subscript<Target: Entity, Member>(
    dynamicMember keyPath: SendableKeyPath<Target, Member>
  ) -> Expr<[Member]> where Value == [Ref<Target>] {
    linkedValues(keyPath) { $0 }
  }

  private func linkedValues<Target: Entity, Member>(
    _ keyPath: SendableKeyPath<Target, Member>, _ references: @escaping @Sendable (Value) -> [Ref<Target>]
  ) -> Expr<[Member]> {
    let (accessor, member) = (accessor, Row<Target>()[keyPath])
    let read = Accessor<[Member]>.function { row, context in
      references(accessor.read(row, context)).compactMap { reference in
        context.target(reference).map { member.accessor.read($0, context) }
      }
    }
    return through(member, read)
  }
}
