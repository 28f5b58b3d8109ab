/// Members of an object, one after another, with the names that are shown for them.
///
/// Two paths are equal when they have the same members, whatever their names: `\.address.city` in a schema and
/// `$0.address.city` in a filter are one path.
package struct PropertyPath: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    /// The object's id, whichever key path names it.
    case id
    /// A stored property; at the beginning of a path also the type that it belongs to.
    case stored(String, of: ObjectIdentifier?)
    /// A member that its key path does not name.
    case member(MemberKey)
    /// A key of a dynamic object.
    case name(String)
  }

  package private(set) var steps: [Step]
  /// The names shown for the path; one name may stand for several steps.
  package private(set) var names: [String]
  /// How many steps each of the names stands for.
  private var widths: [Int]
  /// The type that the path begins at, if it is known.
  let root: ObjectIdentifier?

  /// The members that a key path names, under one name.
  package init(_ keyPath: any AnyKeyPath & Sendable, name: String) {
    let root = ObjectIdentifier(type(of: keyPath as AnyKeyPath).rootType)
    self.init(PropertyPath.steps(keyPath, at: root), name: name, at: root)
  }

  /// Members of a value inside an object, not of the object itself.
  init(members keyPath: any AnyKeyPath & Sendable) {
    self.init(PropertyPath.steps(keyPath, at: nil), name: shownMember(of: keyPath), at: nil)
  }

  /// A path that a dynamic schema resolves.
  init(dynamic names: [String]) {
    steps = names.map(Step.name)
    self.names = names
    widths = names.map { _ in 1 }
    root = nil
  }

  private init(_ steps: [Step], name: String, at root: ObjectIdentifier?) {
    (self.steps, names, widths, self.root) = (steps, [name], [steps.count], root)
  }

  /// The members of a key path, optional or not.
  ///
  /// - Parameter root: the type of the object, if they are members of one.
  private static func steps(_ keyPath: any AnyKeyPath & Sendable, at root: ObjectIdentifier?) -> [Step] {
    let type = type(of: keyPath)
    // A value without size has no address of its own: its key path describes another member.
    guard let name = memberName(of: keyPath), _openExistential(type.valueType, do: size(ofType:)) > 0 else {
      return [.member(MemberKey(keyPath: keyPath))]
    }
    return name.unicodeScalars.split(separator: ".").enumerated().map { index, scalars in
      .stored(String(scalars.filter { $0 != "?" }), of: index == 0 ? root : nil)
    }
  }

  /// The id of an object.
  ///
  /// - Parameter root: the object's type.
  static func id(of root: ObjectIdentifier?) -> PropertyPath { PropertyPath([.id], name: "id", at: root) }

  /// Whether it begins with all members of another path.
  func begins(with other: PropertyPath) -> Bool { steps.starts(with: other.steps) }

  /// This path followed by another.
  func appending(_ other: PropertyPath) -> PropertyPath {
    var path = self
    path.steps += other.steps
    path.names += other.names
    path.widths += other.widths
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

  package static func == (lhs: PropertyPath, rhs: PropertyPath) -> Bool { lhs.steps == rhs.steps }
  package func hash(into hasher: inout Hasher) { hasher.combine(steps) }

  /// The names with points between them.
  ///
  /// - Parameter isExact: whether names of dynamic objects with points or spaces in them are written so that
  ///   each path of such names has a text of its own.
  func text(isExact: Bool) -> String {
    guard isExact else { return names.joined(separator: ".") }
    return parts.map { name, steps in
      guard case .name? = steps.first else { return name }
      return name.isEmpty ? "\\-" : Quoting.escaped(name, [".", " ", "\\"], with: "\\")
    }.joined(separator: ".")
  }
}

private func size<Value>(ofType _: Value.Type) -> Int { MemoryLayout<Value>.size }

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
