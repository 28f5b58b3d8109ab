/// The objects that a list or set of references leads to at one version, in order, read lazily.
///
/// ```swift
/// for tag in snapshot[post.tags] { print(tag.name) }
/// ```
/// References to objects that do not exist at this version are left out.
public struct LinkedObjects<Target: Entity>: BidirectionalCollection, Sendable {
  private let snapshot: Snapshot
  private let references: RefList<Target>
  /// The position of the first object.
  ///
  /// - Complexity: O(1).
  public let startIndex: Int

  init(_ snapshot: Snapshot, _ references: RefList<Target>) {
    self.snapshot = snapshot
    self.references = references
    startIndex = references.firstIndex { snapshot[$0] != nil } ?? references.count
  }

  /// The position after the last object.
  public var endIndex: Int { references.count }
  /// The position of the next object.
  ///
  /// - Complexity: O(log *n*) for each reference up to there.
  public func index(after position: Int) -> Int {
    self.position(from: position + 1, by: 1) ?? references.count
  }
  /// The position of the object before.
  ///
  /// - Complexity: O(log *n*) for each reference up to there.
  public func index(before position: Int) -> Int {
    guard let before = self.position(from: position - 1, by: -1) else {
      preconditionFailure("there is no object before position \(position)")
    }
    return before
  }

  /// The object at a position.
  ///
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> Target {
    guard let object = snapshot[references[position]] else {
      preconditionFailure("position \(position) is not the position of an object")
    }
    return object
  }

  private func position(from start: Int, by step: Int) -> Int? {
    var position = start
    while references.indices.contains(position) {
      if snapshot[references[position]] != nil { return position }
      position += step
    }
    return nil
  }
}

extension Snapshot {
  /// The object that a reference leads to; nil when it does not exist.
  ///
  /// - Complexity: O(log *n*).
  public subscript<Target: Entity>(_ reference: Ref<Target>) -> Target? { self[Target.self, reference.id] }

  /// The object that an optional reference leads to; nil when there is none.
  ///
  /// - Complexity: O(log *n*).
  public subscript<Target: Entity>(_ reference: Ref<Target>?) -> Target? {
    reference.flatMap { self[Target.self, $0.id] }
  }

  /// The objects of a list of references, in order, read lazily.
  ///
  /// - Complexity: O(log *n*), and as much for each reference before the first existing object.
  public subscript<Target: Entity>(_ list: RefList<Target>) -> LinkedObjects<Target> {
    LinkedObjects(self, list)
  }

  /// The objects of a set of references, in no order, read lazily.
  ///
  /// - Complexity: O(*k*) for *k* references, and as the subscript of a list.
  public subscript<Target: Entity>(_ members: RefSet<Target>) -> LinkedObjects<Target> {
    LinkedObjects(self, RefList(members))
  }

  /// The existing objects of a map of references, by name.
  ///
  /// - Complexity: O(*k* log *n*) for *k* names.
  public subscript<Target: Entity>(_ map: RefMap<Target>) -> [String: Target] {
    Dictionary(uniqueKeysWithValues: map.compactMap { name, reference in self[reference].map { (name, $0) } })
  }

  /// The objects that link to an object by a property, each once, in insertion order.
  ///
  /// ```swift
  /// let posts = snapshot.backlinks(to: user, from: \Post.author)
  /// ```
  /// - Complexity: O(*k* log *n*) for *k* such objects; nothing is scanned.
  public func backlinks<Source: Entity, Value: RelationValue>(
    to target: Value.Target, from property: SendableKeyPath<Source, Value>
  ) -> Results<Source> {
    fetch(Source.linking(to: target.ref, by: property))
  }

  /// The objects that link to an object by a property of any of an array of embedded values.
  ///
  /// ```swift
  /// let orders = snapshot.backlinks(to: product, from: \Order.items, each: \.product)
  /// ```
  /// - Complexity: O(*k* log *n*) for *k* such objects; nothing is scanned.
  public func backlinks<Source: Entity, Nested, Value: RelationValue>(
    to target: Value.Target, from property: SendableKeyPath<Source, [Nested]>,
    each link: SendableKeyPath<Nested, Value>
  ) -> Results<Source> {
    fetch(Source.linking(to: target.ref, by: property, each: link))
  }
}

extension WriteTransaction {
  /// The object that a reference leads to; nil when it does not exist.
  ///
  /// - Complexity: O(log *n*).
  public subscript<Target: Entity>(_ reference: Ref<Target>) -> Target? { self[Target.self, reference.id] }

  /// The object that an optional reference leads to; nil when there is none.
  ///
  /// - Complexity: O(log *n*).
  public subscript<Target: Entity>(_ reference: Ref<Target>?) -> Target? {
    reference.flatMap { self[Target.self, $0.id] }
  }

  /// The objects of a list of references as they are now, in order.
  ///
  /// - Complexity: O(*k* log *n*) for *k* references.
  public subscript<Target: Entity>(_ list: RefList<Target>) -> [Target] { list.compactMap { self[$0] } }

  /// The objects of a set of references as they are now, in no order.
  ///
  /// - Complexity: O(*k* log *n*) for *k* references.
  public subscript<Target: Entity>(_ members: RefSet<Target>) -> [Target] { members.compactMap { self[$0] } }

  /// The objects that link to an object by a property, each once, in insertion order, as they are now.
  public func backlinks<Source: Entity, Value: RelationValue>(
    to target: Value.Target, from property: SendableKeyPath<Source, Value>
  ) -> Results<Source> {
    fetch(Source.linking(to: target.ref, by: property))
  }
}

extension Entity {
  /// The objects that link to an object by a property: its backlinks, as a query.
  ///
  /// ```swift
  /// store.observe(Post.linking(to: ann.ref, by: \.author).sorted(by: \.date)) { … }
  /// ```
  /// The property must be declared to hold links, by itself or in an embedded value (`\.address.owner`,
  /// `\.address?.owner`). For any other property, all objects are tested.
  public static func linking<Value: RelationValue>(
    to target: Ref<Value.Target>, by property: SendableKeyPath<Self, Value>
  ) -> Query<Self> {
    let path = schema.linkPath(of: [property])
    let value = path.map { Expr<Value>(source: .path($0), accessor: Accessor(property)) }
    return linking(to: target, by: value ?? Row()[property])
  }

  /// The objects that link to an object by a property of any of an array of embedded values, as a query.
  public static func linking<Nested, Value: RelationValue>(
    to target: Ref<Value.Target>, by property: SendableKeyPath<Self, [Nested]>,
    each link: SendableKeyPath<Nested, Value>
  ) -> Query<Self> {
    let nested = Accessor(property)
    let all = Accessor<RefSet<Value.Target>>.function { row, context in
      var references = RefSet<Value.Target>()
      for value in nested.read(row, context) {
        value[keyPath: link].forEachReference { references.insert($0) }
      }
      return references
    }
    let path =
      schema.linkPath(of: [property, link])
      ?? Term(property, name: "?").appending(PropertyPath(members: link))
    return linking(to: target, by: Expr(source: .path(path), accessor: all))
  }

  private static func linking<Value: RelationValue>(
    to target: Ref<Value.Target>, by links: Expr<Value>
  ) -> Query<Self> {
    let condition =
      Value.only(target).map { value in
        Conditions.comparing(links, .equal, value, testMask(links.accessor) { $0 == value })
      } ?? Conditions.linking(links, to: target)
    return all.selecting(condition.filter)
  }
}
