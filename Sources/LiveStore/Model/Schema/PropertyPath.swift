/// Where a value is found in an object: the members walked through, with the names they are shown by.
///
/// Two paths are equal when they walk through the same members, whatever they are called: `\.address.city` in a schema
/// and `$0.address.city` in a filter are one path.
@usableFromInline
package struct PropertyPath: Hashable, Sendable, CustomStringConvertible {
  package enum Step: Hashable, Sendable {
    /// The object's identity, however its key path is spelled.
    case id
    /// A stored property, of a type at the beginning of a path.
    case stored(String, of: ObjectIdentifier?)
    /// A member whose key path does not tell which.
    case member(MemberKey)
    case name(String)
    /// From an object to those that link to it by a member.
    case linking(MemberKey)
    /// Only those of several objects that pass.
    case filter(PathCondition)
    /// A value in place of a missing one.
    case fallback(Constant)
    case closure(ClosureIdentity)
  }

  package private(set) var steps: [Step]
  /// What the path is shown by; one name may stand for several steps.
  package private(set) var names: [String]

  package init(_ keyPath: any AnyKeyPath & Sendable, name: String) {
    steps = PropertyPath.steps(keyPath, isFirst: true)
    names = [name]
  }

  /// The members that a key path walks through, optional or not.
  private static func steps(_ keyPath: any AnyKeyPath & Sendable, isFirst: Bool) -> [Step] {
    let type = type(of: keyPath)
    // What has no size has no place of its own: its key path describes another member.
    guard let name = memberName(of: keyPath), _openExistential(type.valueType, do: size(ofType:)) > 0 else {
      return [.member(MemberKey(keyPath: keyPath))]
    }
    let root = ObjectIdentifier(type.rootType)
    return name.split(separator: ".").enumerated().map { index, part in
      .stored(part.filter { $0 != "?" }, of: isFirst && index == 0 ? root : nil)
    }
  }

  /// Whether it walks through all members of another path first.
  func begins(with other: PropertyPath) -> Bool { steps.starts(with: other.steps) }

  /// The object's id.
  package static let id: PropertyPath = {
    var path = PropertyPath(dynamic: ["id"])
    path.steps = [.id]
    return path
  }()

  /// What a closure gives; it equals only itself.
  package static func closure() -> PropertyPath {
    var path = PropertyPath(dynamic: ["{ closure }"])
    path.steps = [.closure(ClosureIdentity())]
    return path
  }

  /// A path that a dynamic schema resolves.
  package init(dynamic names: [String]) {
    steps = names.map(Step.name)
    self.names = names
  }

  package func appending(_ keyPath: any AnyKeyPath & Sendable) -> PropertyPath {
    var path = self
    path.steps += PropertyPath.steps(keyPath, isFirst: false)
    path.names.append(shownMember(of: keyPath))
    return path
  }

  /// A path to what this package computes from the value, such as its count.
  package func appending(_ name: String) -> PropertyPath {
    var path = self
    path.steps.append(.name(name))
    path.names.append(name)
    return path
  }

  /// This path and then another.
  package func appending(_ other: PropertyPath) -> PropertyPath {
    var path = self
    path.steps += other.steps
    path.names += other.names
    return path
  }

  package func appending(_ step: Step, _ name: String) -> PropertyPath {
    var path = self
    path.steps.append(step)
    path.names.append(name)
    return path
  }

  @usableFromInline
  package static func == (lhs: PropertyPath, rhs: PropertyPath) -> Bool { lhs.steps == rhs.steps }
  @usableFromInline
  package func hash(into hasher: inout Hasher) { hasher.combine(steps) }
  @usableFromInline
  package var description: String {
    names.reduce("") { text, name in
      // A value in place of a missing one is written behind all that leads to it.
      if name.hasPrefix("?? ") { return "(\(text) \(name))" }
      return text.isEmpty ? name : "\(text).\(name)"
    }
  }
}

private func size<Value>(ofType _: Value.Type) -> Int { MemoryLayout<Value>.size }

/// A key path as a `Hashable` value, which the existential `AnyKeyPath & Sendable` is not.
package struct MemberKey: Hashable, Sendable {
  let keyPath: any AnyKeyPath & Sendable

  package static func == (lhs: MemberKey, rhs: MemberKey) -> Bool {
    (lhs.keyPath as AnyKeyPath) == (rhs.keyPath as AnyKeyPath)
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(keyPath as AnyKeyPath) }
}

// A cast cannot keep a marker protocol. Each of these gives back the very key path it was given, which is
// Sendable, under a type that it has; `any KeyPath & Sendable` is a reference like `KeyPath`.

/// A key path under other names of its types, where those are the same.
func typedKeyPath<Root, Value, NewRoot, NewValue>(
  _ keyPath: SendableKeyPath<Root, Value>, _: NewRoot.Type, _: NewValue.Type
) -> SendableKeyPath<NewRoot, NewValue>? {
  let same = (keyPath as AnyKeyPath) as? KeyPath<NewRoot, NewValue>
  return same.map { unsafeBitCast($0, to: SendableKeyPath<NewRoot, NewValue>.self) }
}

/// A key path as one to write through, where it is one.
func writableKeyPath<Root, Value>(
  _ keyPath: SendableKeyPath<Root, Value>
) -> (any WritableKeyPath<Root, Value> & Sendable)? {
  let same = (keyPath as AnyKeyPath) as? WritableKeyPath<Root, Value>
  return same.map { unsafeBitCast($0, to: (any WritableKeyPath<Root, Value> & Sendable).self) }
}

/// What to call the member that a key path leads to where no schema names it: by its type, if its name is not told.
package func shownMember(of keyPath: AnyKeyPath) -> String {
  memberName(of: keyPath) ?? "(computed \(type(of: keyPath).valueType))"
}

/// The name in a key path's own description (`\Post.title` is `title`), or nil where it tells none:
/// computed members and builds without reflection metadata.
package func memberName(of keyPath: AnyKeyPath) -> String? {
  let text = keyPath.debugDescription
  guard let dot = text.firstIndex(of: ".") else { return nil }
  let type = "\\\(type(of: keyPath).rootType)."
  let name = text.hasPrefix(type) ? text.dropFirst(type.count) : text[text.index(after: dot)...]
  return name.contains { $0 == "<" || $0 == " " } ? nil : String(name)
}

/// Identity for closures: a closure equals only itself.
package final class ClosureIdentity: Hashable, Sendable {
  package init() {}
  package static func == (lhs: ClosureIdentity, rhs: ClosureIdentity) -> Bool { lhs === rhs }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A condition within a path, whatever it is made of.
package struct PathCondition: Hashable, Sendable {
  private let condition: any Hashable & Sendable

  package init(_ condition: some Hashable & Sendable) { self.condition = condition }

  package static func == (lhs: PathCondition, rhs: PathCondition) -> Bool {
    AnyHashable(lhs.condition) == AnyHashable(rhs.condition)
  }
  package func hash(into hasher: inout Hasher) { condition.hash(into: &hasher) }
}
