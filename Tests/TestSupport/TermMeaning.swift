package import LiveStore

/// What filters mean: the value of a term for an object among others, by the plainest means.
///
/// Oracles ask it what a condition says. It shares the tree with the library, its members and its constants, and nothing
/// that evaluates them: a mirror finds stored properties by their names, and links are followed by looking through all
/// objects. That a Swift expression makes the right tree it cannot know: `TermMeaningTests` has cases of that.
package struct TermMeaning: Sendable {
  /// The values or objects that several links lead to.
  package struct Several { package let values: [Any?] }

  /// No more is known of a term than that it is evaluated: a closure, a predicate, a search.
  package struct Unknown: Error { package let term: Term }

  /// All objects by their types, in insertion order.
  private let objects: [ObjectIdentifier: [any Entity]]

  package init(_ objects: [any Entity] = []) {
    self.objects = Dictionary(grouping: objects) { ObjectIdentifier(type(of: $0)) }
  }

  /// Whether a condition holds for an object.
  package func holds(_ condition: Term, _ object: any Entity) -> Bool {
    let answer = value(of: condition, object)
    precondition(answer == nil || answer is Bool, "\(condition) is no condition")
    return answer as? Bool ?? false
  }

  /// The value of a term for an object; nil if it is missing.
  package func value(of term: Term, _ object: any Entity) -> Any? {
    do { return try value(of: term, [object]) } catch { preconditionFailure("\(error)") }
  }

  /// - Parameter rows: the object, and the rows around it, innermost first.
  package func value(of term: Term, _ rows: [Any?]) throws -> Any? {
    func read(_ term: Term) throws -> Any? { try value(of: term, rows) }
    func read(_ term: Term, inside row: Any?) throws -> Any? { try value(of: term, [row] + rows) }
    switch term {
    case .row(let level), .element(_, let level): return rows[level]
    case .constant(let constant): return constant.plain
    case .property(let base, let path):
      return try path.steps.reduce(read(base)) { try member($1, of: $0) { throw Unknown(term: term) } }
    case .key(let base, let key):
      guard let members = try read(base) as? [AnyHashable: Any], let key = key.plain as? AnyHashable
      else { return nil }
      return members[key].flatMap(unwrapped)
    case .step(let base, let step, let spreads): return self.step(step, of: try read(base), spreads)
    case .target(let links): return targets(of: try read(links))
    case .linking(let base, let link):
      return Several(values: elements(of: try read(base)).flatMap { sources(link, to: $0) })
    case .filtered(let base, let condition):
      return Several(
        values: try elements(of: read(base)).filter { try read(condition, inside: $0) as? Bool == true })
    case .function(.link, let row): return try (read(row) as? any Entity).map { link(to: $0) }
    // Of objects there are none where their links are missing; of links the number is missing.
    case .function(.count, .target(let links)): return elements(of: targets(of: try read(links))).count
    case .function(.isEmpty, .target(let links)): return elements(of: targets(of: try read(links))).isEmpty
    case .function(.count, let base): return try read(base).map { elements(of: $0).count }
    case .function(.isEmpty, let base): return try read(base).map { elements(of: $0).isEmpty }
    case .function(.aggregate(let name), let base): return try aggregate(name, elements(of: read(base)))
    case .function(.number(let function), let base): return PlainNumber.result(function, try read(base))
    case .function(.text(let function), let base):
      guard let text = plainValue(try read(base)) as? String else { return nil }
      switch function {
      case .length: return text.count
      case .uppercase: return text.uppercased()
      case .lowercase: return text.lowercased()
      }
    case .aggregate(let name, let base, let member):
      return try aggregate(name, elements(of: read(base)).map { try read(member, inside: $0) })
    case .operation(let operation, let left, let right):
      return try PlainNumber.result(read(left), operation, read(right))
    case .fallback(let base, let fallback): return try read(base) ?? read(fallback)
    // MARK: Conditions
    case .compare(let term, let comparison, let constant):
      return relates(try read(term), comparison, constant.plain)
    case .compareTerms(let left, let comparison, let right):
      return relates(try read(left), comparison, try read(right))
    case .pair(let left, let relation, let right), .general(let left, let relation, let right):
      if relation.operator == .text { return try unknown(term) }
      return try holds(left, relation, right, rows)
    case .text(let base, let test, let part, let options):
      let value = try read(base)
      return TermRelation(RelationalOperator(test), options).holds(plainValue(value), part.text)
    case .range(let base, let lower, let upper):
      let value = try read(base)
      return isWithin(value, lower, .greater, .greaterOrEqual) && isWithin(value, upper, .less, .lessOrEqual)
    case .member(let base, let list):
      let value = try read(base)
      return list.members.contains { areEqual(value, $0.plain) }
    case .link(let base, let target): return links(in: try read(base)).contains { areEqual($0, target.plain) }
    case .contains(let base, let element):
      return elements(of: try read(base)).contains { areEqual($0, element.plain) }
    case .some(let base, let condition):
      return try elements(of: read(base)).contains { try read(condition, inside: $0) as? Bool == true }
    case .all(let members): return try members.terms.allSatisfy { try read($0) as? Bool == true }
    case .any(let members): return try members.terms.contains { try read($0) as? Bool == true }
    case .not(let condition): return try read(condition) as? Bool != true
    case .program(let program): return try read(program.tree)
    case .closure, .comparator, .function(.words, _), .predicate, .relevance, .search, .values:
      return try unknown(term)
    }
  }

  private func unknown(_ term: Term) throws -> Bool { throw Unknown(term: term) }

  private func isWithin(
    _ value: Any?, _ bound: ValueBound<Constant>, _ open: Comparison, _ closed: Comparison
  ) -> Bool {
    switch bound {
    case .inclusive(let bound): relates(value, closed, bound.plain)
    case .exclusive(let bound): relates(value, open, bound.plain)
    }
  }

  private func aggregate(_ name: CollectionFunction, _ values: [Any?]) -> Any? {
    let present = values.compactMap(\.self)
    return switch name {
    case .count: values.count
    case .isEmpty: values.isEmpty
    case .min: present.min { totalOrder($0, $1) < 0 }
    case .max: present.max { totalOrder($0, $1) < 0 }
    case .sum: PlainNumber.sum(present)
    case .avg: PlainNumber.mean(present)
    }
  }
}

// MARK: Members and links

extension TermMeaning {
  private func member(_ step: PropertyPath.Step, of value: Any?, _ unknown: () throws -> Void) throws -> Any?
  {
    guard let value else { return nil }
    if let several = value as? Several {
      return Several(values: try several.values.map { try member(step, of: $0, unknown) })
    }
    switch step {
    case .id: return (value as? any Entity).map { $0.id }
    case .name(let name): return self.step(.name(name), of: document(of: value), false)
    case .member(let key): return key.value(in: value)
    case .stored(let name, of: _):
      if let child = Mirror(reflecting: value).children.first(where: { $0.label == name }) {
        return unwrapped(child.value)
      }
    }
    try unknown()
    return nil
  }

  /// What a step leads to whose value's type is not known.
  private func step(_ step: PathStep, of value: Any?, _ spreads: Bool) -> Any? {
    let value = plainValue(value)
    switch (step, value) {
    case (.name(let name), let members as [String: Any?]), (.key(let name), let members as [String: Any?]):
      return members[name] ?? nil
    case (.name(let name), _):
      if let index = JSONValue.arrayIndex(name) { return self.step(.index(index), of: value, spreads) }
      guard spreads, let elements = plainList(value) else { return nil }
      return elements.map { self.step(step, of: $0, true) }.flatMap { plainList($0) ?? [$0] }
    case (.index(let index), _):
      return plainList(value).flatMap { $0.indices.contains(index) ? $0[index] : nil }
    case (.last, _): return plainList(value)?.last ?? nil
    case (.every, _): return plainMembers(value)
    case (.key, _), (.aggregate, _), (.argument, _): return nil
    }
  }

  /// The object, or the objects, that links lead to; those of a set or a map in insertion order.
  private func targets(of value: Any?) -> Any? {
    func target(_ link: any Link) -> (any Entity)? { objects[link.entity]?.first { link.leads(to: $0) } }
    guard let value else { return nil }
    if let link = value as? any Link { return target(link) }
    if let several = value as? Several {
      return Several(values: several.values.flatMap { elements(of: targets(of: $0)) })
    }
    let links = links(in: value)
    guard value is any Unordered, let all = links.first.flatMap({ objects[$0.entity] })
    else { return Several(values: links.compactMap(target)) }
    return Several(
      values: all.flatMap { object in
        [Any?](repeating: object, count: links.count { $0.leads(to: object) })
      })
  }

  /// The objects that link to one.
  private func sources(_ link: Backlink, to target: Any?) -> [Any?] {
    guard let target, let type = link.members.first.map({ type(of: $0.keyPath).rootType }) else { return [] }
    return objects[ObjectIdentifier(type), default: []].filter { source in
      let values = link.members.reduce([source] as [Any?]) { values, key in
        values.flatMap { elements(of: $0) }.compactMap { $0.flatMap { key.value(in: $0) } }
      }
      return values.contains { links(in: $0).contains { $0.leads(to: target) } }
    }
  }

  private func links(in value: Any?) -> [any Link] {
    if let link = value as? any Link { return [link] }
    return elements(of: value).flatMap { $0 is any Link || $0 is any Sequence ? links(in: $0) : [] }
  }

  /// Those of a collection, the values of a dictionary or a map, or the one object itself.
  private func elements(of value: Any?) -> [Any?] {
    guard let value else { return [] }
    if let several = value as? Several { return several.values }
    if let members = value as? any Named { return members.named }
    func all(_ values: some Sequence) -> [Any?] { values.map { unwrapped($0) } }
    return (value as? any Sequence).map { all($0) } ?? [value]
  }
}

private protocol Link {
  var entity: ObjectIdentifier { get }
  func leads(to object: Any) -> Bool
}

extension Ref: Link {
  fileprivate var entity: ObjectIdentifier { ObjectIdentifier(Target.self) }
  fileprivate func leads(to object: Any) -> Bool { (object as? Target)?.id == id }
}

extension MemberKey {
  fileprivate func value(in root: Any) -> Any? { root[keyPath: keyPath as AnyKeyPath].flatMap(unwrapped) }
}

private func link<Target: Entity>(to object: Target) -> Any { Ref(to: object) }

/// The JSON of a dynamic object; any other value itself.
private func document(of value: Any) -> Any? {
  guard value is any DynamicEntity else { return value }
  return Mirror(reflecting: value).children.lazy.compactMap { $0.value as? JSONValue }.first.flatMap(
    unwrapped)
}

private protocol Unordered {}
extension RefSet: Unordered {}
extension RefMap: Unordered {}

private protocol Named { var named: [Any?] { get } }
extension RefMap: Named { fileprivate var named: [Any?] { Array(values) } }
extension Dictionary: Named { fileprivate var named: [Any?] { values.map(unwrapped) } }
