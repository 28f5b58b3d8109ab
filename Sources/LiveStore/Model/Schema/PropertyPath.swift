/// The path of a value in an object: its members, with the names that are shown for them.
///
/// Two paths are equal when they have the same members, whatever their names: `\.address.city` in a schema and
/// `$0.address.city` in a filter are one path.
@usableFromInline
package struct PropertyPath: Hashable, Sendable, CustomStringConvertible {
  package enum Step: Hashable, Sendable {
    /// The object's id, whichever key path names it.
    case id
    /// A stored property; of a type, at the beginning of a path.
    case stored(String, of: ObjectIdentifier?)
    /// A member that its key path does not name.
    case member(MemberKey)
    /// A key of a dynamic object.
    case name(String)
    /// A value that this package computes, such as a count.
    case function(String)
    /// A function of a value of each of several objects.
    indirect case aggregate(String, PropertyPath)
    /// From an object to the objects that link to it by a member.
    case linking([MemberKey], of: ObjectIdentifier)
    /// Only those of several objects that pass a condition.
    case filter(PathCondition)
    /// A default for a missing value.
    case fallback(Constant)
    /// A value that is the same for all objects.
    case constant(Constant)
    /// What an operation gives for the value so far and another one.
    indirect case operation(String, PropertyPath)
    /// An element of a collection, of a type.
    case element(ObjectIdentifier)
    /// The value under a key of a dictionary.
    case key(Constant)
    case closure(ClosureIdentity)
    /// The path begins at a row this many levels around the one that is tested. If it is closed, so are the filters
    /// among its steps: they name rows as seen from there.
    case outer(Int, isClosed: Bool)
  }

  package private(set) var steps: [Step]
  /// The names shown for the path; one name may stand for several steps.
  package private(set) var names: [String]
  /// How many steps each of the names stands for.
  private var widths: [Int]

  package init(_ keyPath: any AnyKeyPath & Sendable, name: String) {
    steps = PropertyPath.steps(keyPath, isFirst: true)
    names = [name]
    widths = [steps.count]
  }

  /// The members of a key path, optional or not.
  private static func steps(_ keyPath: any AnyKeyPath & Sendable, isFirst: Bool) -> [Step] {
    let type = type(of: keyPath)
    // A value without size has no address of its own: its key path describes another member.
    guard let name = memberName(of: keyPath), _openExistential(type.valueType, do: size(ofType:)) > 0 else {
      return [.member(MemberKey(keyPath: keyPath))]
    }
    let root = ObjectIdentifier(type.rootType)
    return name.unicodeScalars.split(separator: ".").enumerated().map { index, scalars in
      .stored(String(scalars.filter { $0 != "?" }), of: isFirst && index == 0 ? root : nil)
    }
  }

  /// Whether it is the row itself.
  var isEmpty: Bool { steps.isEmpty }

  /// The type that the path begins at, if its first step tells.
  var root: ObjectIdentifier? {
    switch steps.first {
    case .stored(_, of: let root): root
    case .linking(_, of: let root), .element(let root): root
    default: nil
    }
  }

  /// Whether it and the paths of other operands in it may begin at a type: no first step says another one.
  func mayBegin(at type: ObjectIdentifier) -> Bool {
    if let root, root != type { return false }
    return steps.allSatisfy { step in
      if case .operation(_, let other) = step { other.mayBegin(at: type) } else { true }
    }
  }

  /// The same path from a row that is some levels further in.
  ///
  /// - Parameter isClosed: whether filters among its steps name rows as seen from the row where it begins.
  func lifted(by levels: Int, isClosed: Bool) -> PropertyPath {
    var path = self
    path.steps = steps.map { step in
      guard case .operation(let symbol, let other) = step else { return step }
      return .operation(symbol, other.lifted(by: levels, isClosed: isClosed))
    }
    switch (steps.first, isClosed) {
    // A constant begins at no row.
    case (.constant, _): return path
    case (.outer(let known, isClosed: false), false):
      path.steps[0] = .outer(known + levels, isClosed: false)
    default:
      path.steps.insert(.outer(levels, isClosed: isClosed), at: 0)
      path.names.insert("outer", at: 0)
      path.widths.insert(1, at: 0)
    }
    return path
  }

  /// Whether it begins with all members of another path.
  func begins(with other: PropertyPath) -> Bool { steps.starts(with: other.steps) }

  /// The object's id.
  package static let id: PropertyPath = {
    var path = PropertyPath(dynamic: ["id"])
    path.steps = [.id]
    return path
  }()

  /// The result of a closure; it equals only itself.
  package static func closure() -> PropertyPath {
    var path = PropertyPath(dynamic: ["{ closure }"])
    path.steps = [.closure(ClosureIdentity())]
    return path
  }

  /// A path that a dynamic schema resolves.
  package init(dynamic names: [String]) {
    steps = names.map(Step.name)
    self.names = names
    widths = names.map { _ in 1 }
  }

  package func appending(_ keyPath: any AnyKeyPath & Sendable) -> PropertyPath {
    var path = self
    let members = PropertyPath.steps(keyPath, isFirst: false)
    path.steps += members
    path.names.append(shownMember(of: keyPath))
    path.widths.append(members.count)
    return path
  }

  /// A path to a value that this package computes, such as a count.
  package func appending(_ name: String) -> PropertyPath {
    appending(.function(name), name)
  }

  /// This path followed by another.
  package func appending(_ other: PropertyPath) -> PropertyPath {
    var path = self
    path.steps += other.steps
    path.names += other.names
    path.widths += other.widths
    return path
  }

  package func appending(_ step: Step, _ name: String) -> PropertyPath {
    var path = self
    path.steps.append(step)
    path.names.append(name)
    path.widths.append(1)
    return path
  }

  /// The names, each with the steps that it stands for.
  var parts: [(name: String, steps: ArraySlice<Step>)] {
    var parts: [(name: String, steps: ArraySlice<Step>)] = []
    var start = 0
    for (name, width) in zip(names, widths) {
      parts.append((name, steps[start..<start + width]))
      start += width
    }
    return parts
  }

  @usableFromInline
  package static func == (lhs: PropertyPath, rhs: PropertyPath) -> Bool { lhs.steps == rhs.steps }
  @usableFromInline
  package func hash(into hasher: inout Hasher) { hasher.combine(steps) }
  @usableFromInline
  package var description: String {
    names.reduce("") { text, name in
      // A default is written after the whole path to the missing value.
      // So is the other operand of an operation.
      if name.hasPrefix("?? ") || Self.operators.contains(name.prefix(2)) { return "(\(text) \(name))" }
      return text.isEmpty ? name : "\(text).\(name)"
    }
  }
}

extension PropertyPath {
  /// The same as `description`, but for names of dynamic objects that have dots or spaces in them, so that a path of such names
  /// has a text of its own.
  var exactDescription: String {
    var path = self
    path.names = parts.map { name, steps in
      guard case .name? = steps.first else { return name }
      if name.isEmpty { return "\\-" }
      return name.unicodeScalars.reduce(into: "") { text, scalar in
        if scalar == "." || scalar == " " || scalar == "\\" { text.unicodeScalars.append("\\") }
        text.unicodeScalars.append(scalar)
      }
    }
    return path.description
  }

  /// How the names of operations begin.
  private static let operators: Set<Substring> = ["+ ", "- ", "* ", "/ "]
}

private func size<Value>(ofType _: Value.Type) -> Int { MemoryLayout<Value>.size }

// A cast cannot keep a marker protocol. Each of these returns the very key path that it was given, which is Sendable,
// with a type that it has; `any KeyPath & Sendable` is a reference like `KeyPath`.

/// A key path with other names of its types, if those are the same types.
func typedKeyPath<Root, Value, NewRoot, NewValue>(
  _ keyPath: SendableKeyPath<Root, Value>, _: NewRoot.Type, _: NewValue.Type
) -> SendableKeyPath<NewRoot, NewValue>? {
  let same = (keyPath as AnyKeyPath) as? KeyPath<NewRoot, NewValue>
  return same.map { unsafeBitCast($0, to: SendableKeyPath<NewRoot, NewValue>.self) }
}

/// The key path as a writable one, if it is.
func writableKeyPath<Root, Value>(
  _ keyPath: SendableKeyPath<Root, Value>
) -> (any WritableKeyPath<Root, Value> & Sendable)? {
  let same = (keyPath as AnyKeyPath) as? WritableKeyPath<Root, Value>
  return same.map { unsafeBitCast($0, to: (any WritableKeyPath<Root, Value> & Sendable).self) }
}

/// The name of the member that a key path leads to when no schema names it; its type, if the key path has no name.
package func shownMember(of keyPath: AnyKeyPath) -> String {
  memberName(of: keyPath) ?? "(computed \(type(of: keyPath).valueType))"
}

/// The name in a key path's description (`\Post.title` is `title`), or nil if it has none: for computed members, and
/// in builds without reflection metadata.
package func memberName(of keyPath: AnyKeyPath) -> String? {
  let text = keyPath.debugDescription
  guard let dot = text.unicodeScalars.firstIndex(of: ".") else { return nil }
  let type = "\\\(type(of: keyPath).rootType)."
  let name = text.hasPrefix(type) ? text.dropFirst(type.count) : text[text.index(after: dot)...]
  return name.unicodeScalars.contains { $0 == "<" || $0 == " " } ? nil : String(name)
}
